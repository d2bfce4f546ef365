import type { AnalysisSettings } from '@calls/api-contract/rest/call-analysis';
import type { Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

const PATH = 'analysisSettings';

/** Issues of analysis settings that the schema does not find. */
export async function analysisIssues(
  settings: AnalysisSettings | undefined,
  checks: UntrustedChecks,
): Promise<Issue[]> {
  if (!settings) return [];
  const { dataSchema, successCriteria } = settings;
  if (!dataSchema && !successCriteria) {
    return [{ path: PATH, message: 'must have dataSchema, successCriteria or both' }];
  }
  return [
    ...(dataSchema ? await schemaIssues(dataSchema, checks) : []),
    ...nameIssues(successCriteria ?? []),
  ];
}

async function schemaIssues(schema: Record<string, unknown>, checks: UntrustedChecks): Promise<Issue[]> {
  const path = `${PATH}.dataSchema`;
  const [issue = null] = await checks.schemaIssues([schema]);
  if (issue !== null) return [{ path, message: issue }];
  return schema['type'] === 'object' ? [] : [{ path: `${path}.type`, message: 'must be "object"' }];
}

function nameIssues(criteria: readonly { name: string }[]): Issue[] {
  const names = criteria.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: `${PATH}.successCriteria.${index}.name`, message: 'must be unique in the call' }]
      : [],
  );
}
