import { Tool } from '@calls/api-contract/rest/tool-resource';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { completeDefinition, modelNameOf } from '@calls/call-lifecycle/creation/tools/complete-definition';
import { definitionIssues } from '@calls/call-lifecycle/creation/tools/definition-issues';
import type { UrlRule } from '@calls/call-lifecycle/creation/tools/http-issues';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { WorkRefusedError, WorkTooExpensiveError } from '@calls/untrusted-work/work-error';
import type { ToolDraft } from '../openapi/tool-from-openapi.ts';
import { invalidRequest } from '../problems/problem.ts';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';

const shape = compileValidator('tool', Tool.Request);

/** Issues of a tool that its schema does not cover. */
export function toolIssues(body: unknown, urlRule: UrlRule, checks: UntrustedChecks): Promise<Issue[]> {
  const definition: unknown =
    typeof body === 'object' && body !== null && 'definition' in body ? body.definition : null;
  return definitionIssues(definition, 'definition', urlRule, checks);
}

/** The stored form of a valid tool. */
export function completeTool({ name, definition }: ToolDraft): ToolDraft {
  return { name, definition: completeDefinition({ modelToolName: modelNameOf(name), ...definition }) };
}

/** Converts an OpenAPI document to a tool that satisfies all rules. Throws a problem that says why it cannot. */
export async function toolOfDocument(
  { file: { bytes } }: { file: { bytes: Buffer } },
  rules: {
    accountId: string;
    urlRule: UrlRule;
    checks: UntrustedChecks;
    bulkWork: BulkWork;
    signal: AbortSignal;
  },
): Promise<ToolDraft> {
  const { accountId, urlRule, checks, bulkWork, signal } = rules;
  try {
    const draft = await bulkWork.run('toolFromOpenApi', null, { owner: accountId, chunks: [bytes], signal });
    const issues = [
      ...shape.issues(draft),
      ...textIssues(draft),
      ...(await toolIssues(draft, urlRule, checks)),
    ];
    if (issues.length === 0) return draft;
    throw invalidRequest('tool of the document', issues);
  } catch (thrown) {
    if (thrown instanceof WorkRefusedError || thrown instanceof WorkTooExpensiveError) {
      throw invalidRequest('request body', [{ path: 'file', message: thrown.message }]);
    }
    throw thrown;
  }
}
