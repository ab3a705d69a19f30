// Records what a real kubectl answers: `node test/golden/plugin/kubectl/record.ts PATH-OF-KUBECTL` writes answers.json.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { startMemoryApi } from '../../../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { put } from '../../../unit/plugin/lab-api.ts';
import { OBJECTS } from './objects.ts';
import { COLUMNS, ORDERS, TEMPLATES } from './questions.ts';

/** Text that kubectl prints, or null where it refuses. */
export type Answers = Readonly<Record<string, string | null>>;

const [kubectl = 'kubectl'] = process.argv.slice(2);
const api = await startMemoryApi();
for (const object of OBJECTS) put(api, RESOURCE_TYPES.nodes, object);
const names = OBJECTS.map(({ metadata }) => `node/${metadata.name}`);

function ask(...flags: string[]): Promise<string | null> {
  const args = ['--kubeconfig=/dev/null', '-s', api.url, 'get', ...flags];
  return new Promise((resolve) => {
    execFile(kubectl, args, (error, stdout) => resolve(error ? null : withoutVersions(stdout)));
  });
}

/** The objects have none; the server gives them one. */
function withoutVersions(text: string): string {
  return text.replace(/,"resourceVersion":"\d+"|^ *resourceVersion: "\d+"\n/gm, '');
}

async function answersTo(questions: readonly string[], flags: (question: string) => string[]) {
  const answers: Record<string, string | null> = {};
  // The order of the objects in the list is that of their names in the call.
  for (const question of questions) answers[question] = await ask(...names, ...flags(question));
  return answers;
}

const answers = {
  templates: await answersTo(TEMPLATES, (template) => ['-o', `jsonpath=${template}`]),
  columns: await answersTo(COLUMNS, (columns) => ['-o', `custom-columns=${columns}`]),
  orders: await answersTo(ORDERS, (order) => ['-o', 'name', `--sort-by=${order}`]),
};
await api.close();
await writeFile(new URL('answers.json', import.meta.url), `${JSON.stringify(answers, null, 2)}\n`);
