// Entry of the component: what the world `device-policy` exports.
import { judge } from './judge.ts';
import { select } from './select.ts';

export const policy = { judge, select };
