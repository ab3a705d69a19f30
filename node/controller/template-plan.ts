// The template of one USBDevice: made, made anew when it should be another, deleted. Pure.
import { TEMPLATE_ANNOTATIONS, USB_DEVICE } from '../../proto/api/names.ts';
import type { ResourceClaimTemplate } from '../../proto/api/resource-claim-template.ts';
import type { TemplateFacts } from './observed.ts';
import type { Owner, Step } from './step.ts';

/** A template is immutable, so a wrong one is replaced. `owner` is the USBDevice. */
export function planTemplate(
  group: string,
  wanted: ResourceClaimTemplate,
  owner: Owner,
  found: TemplateFacts | undefined,
): Step[] {
  if (found && isLike(found, wanted, owner)) return [];
  const { namespace = '', name } = wanted.metadata;
  const key = { namespace, name };
  return [
    ...(found ? [templateRemoval(group, found)] : []),
    { group, kind: 'resourceClaimTemplates', key, do: 'create', object: wanted, owner },
  ];
}

export function templateRemoval(group: string, { metadata }: TemplateFacts): Step {
  const { namespace = '', name = '', uid } = metadata;
  return { group, kind: 'resourceClaimTemplates', key: { namespace, name }, do: 'delete', uid };
}

/** One that a controller made; people's templates of a like name are left alone. */
export function isControlledTemplate({ metadata }: TemplateFacts): boolean {
  return (
    metadata.annotations?.[TEMPLATE_ANNOTATIONS.specHash] !== undefined &&
    (metadata.ownerReferences ?? []).some(({ kind }) => kind === USB_DEVICE.kind)
  );
}

/** By hash and owner: the server adds defaults to a spec, so comparing that would replace templates for ever. */
function isLike({ metadata }: TemplateFacts, wanted: ResourceClaimTemplate, { uid }: Owner): boolean {
  const hash = TEMPLATE_ANNOTATIONS.specHash;
  return (
    metadata.annotations?.[hash] === wanted.metadata.annotations?.[hash] &&
    uid !== undefined &&
    (metadata.ownerReferences ?? []).some((reference) => reference.uid === uid)
  );
}
