// What a flag is: one table row that the argv reader, the parser and the help pages share.

export interface Flag {
  /** Long name without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** `switch` takes no value unless written `--flag=false`; `texts` may be given several times; else the last wins. */
  readonly kind: 'text' | 'texts' | 'switch';
  /** Allowed values of a text; `jsonpath=TEMPLATE` allows `jsonpath=` and whatever follows. */
  readonly choices?: readonly string[];
  /** What completion offers as values: names of the cluster, contexts of the kubeconfig, files. */
  readonly completes?: 'namespace' | 'context' | 'node' | 'file';
  readonly about: string;
}
