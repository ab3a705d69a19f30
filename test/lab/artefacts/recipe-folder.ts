// The inputs of a recipe that are files of the checkout.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of something in the lab's folder. */
export function labPath(relative: string): string {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url));
}

/** Names and contents of the files of a folder of the lab, sorted, for the content hash. */
export function folderContents(relative: string): (string | Buffer)[] {
  const folder = labPath(relative);
  return readdirSync(folder)
    .sort()
    .flatMap((name) => [name, readFileSync(`${folder}/${name}`)]);
}

/** Content of one file of the lab's folder. */
export function fileContent(relative: string): Buffer {
  return readFileSync(labPath(relative));
}
