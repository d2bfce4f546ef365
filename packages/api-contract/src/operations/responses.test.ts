import { expect, it } from '@jest/globals';
import { operations } from './index.ts';

interface Node {
  title?: string;
  type?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
}

/** Response fields that the API description allows to be null instead of an object. */
const MAY_BE_NULL = [
  'Agent.callTemplate',
  'AgentRevision.createdBy',
  'AgentRevisionBasic.createdBy',
  'Call.experimentalSettings',
  'Call.mediumRestriction',
  'CallEvent.extras',
  'CallStage.experimentalSettings',
  'ScheduledCall.experimentalSettings',
  'ScheduledCall.metadata',
  'ScheduledCall.templateContext',
];

/** Fields that hold an object or null, at every depth. */
function nullableObjects(node: Node): string[] {
  const fields = Object.entries(node.properties ?? {});
  const here = fields.filter(
    ([, { anyOf }]) =>
      anyOf?.some(({ type }) => type === 'null') && anyOf.some(({ type }) => type === 'object'),
  );
  const parts = [
    ...fields.map(([, field]) => field),
    ...(node.anyOf ?? []),
    ...(node.items ? [node.items] : []),
  ];
  return [...here.map(([name]) => `${node.title}.${name}`), ...parts.flatMap(nullableObjects)];
}

it('only the listed response fields may be null instead of an object', () => {
  const found = operations.flatMap(({ response: answer }) => (answer ? nullableObjects(answer) : []));
  expect([...new Set(found)].sort()).toEqual(MAY_BE_NULL);
});
