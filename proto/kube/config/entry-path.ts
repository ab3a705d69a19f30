// Paths inside a kubeconfig: relative ones belong to the folder of the file that names them.
import { dirname, isAbsolute, join } from 'node:path';

/** `file` is an absolute path; empty stays empty. */
export function pathFrom(file: string, path: string): string {
  return path === '' || isAbsolute(path) ? path : join(dirname(file), path);
}
