// From a kind and its schema to the manifest of its CustomResourceDefinition.
import { stringify } from 'yaml';
import type { CustomKind } from './custom-kinds.ts';
import { structuralSchema } from './structural-schema.ts';

/** YAML text. No anchors: people read a field where it is. */
export function crdManifest(kind: CustomKind): string {
  const header = `# ${kind.about}\n# Generated from proto/api/schemas by \`npm run generate\`: do not edit.\n`;
  return header + stringify(definition(kind), { lineWidth: 120, aliasDuplicateObjects: false });
}

function definition({ names, scope, labels, category, shortName, columns, schema }: CustomKind): object {
  const { group, version, kind, plural } = names;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(labels && { labels }) },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        ...(category && { categories: [category] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: structuralSchema(schema) },
        },
      ],
    },
  };
}
