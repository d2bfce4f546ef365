import { setImmediate } from 'node:timers/promises';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { ScheduledCallRequest } from '@calls/api-contract/rest/scheduled-batch';
import { requestIssues } from '@calls/call-lifecycle/creation/request-issues';
import { sealScheduledCall } from '@calls/call-lifecycle/creation/stored-secrets';
import { contextIssues } from '@calls/call-lifecycle/creation/templates/render-template';
import { MAX_ISSUES, type Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { StoredScheduledCall } from '@calls/store/schema/scheduled-batch-tables';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

/** Yields to other requests after this time; checking a batch may take long. */
const TURN_MS = 10;
/** Contexts are checked in another process, in groups of about this size. */
const GROUP_CHARACTERS = 128 * 1024;
const GROUP_CALLS = 200;

export interface BatchDeps {
  template: CallTemplate;
  checks: UntrustedChecks;
  secretBox: SecretBox;
  accountId: string;
}

/**
 * Validates the calls of a batch beyond their schema and converts them to their stored form. Reports the first issues,
 * with paths from `calls`.
 */
export async function prepareCalls(
  calls: readonly ScheduledCallRequest[],
  deps: BatchDeps,
): Promise<{ stored: StoredScheduledCall[]; issues: Issue[] }> {
  const { secretBox, accountId } = deps;
  const stored: StoredScheduledCall[] = [];
  const issues: Issue[] = [];
  let turnEndsMs = performance.now() + TURN_MS;
  let start = 0;
  let characters = 0;
  for (const [index, given] of calls.entries()) {
    const call = storedCall(given);
    issues.push(...atCall(index, requestIssues(call)));
    if (issues.length >= MAX_ISSUES) break;
    stored.push(sealScheduledCall(secretBox, accountId, call));
    characters += JSON.stringify(call.templateContext ?? {}).length;
    const isLast = index === calls.length - 1;
    if (isLast || characters >= GROUP_CHARACTERS || stored.length - start >= GROUP_CALLS) {
      issues.push(...(await groupIssues(calls.slice(start, index + 1), start, deps)));
      if (issues.length >= MAX_ISSUES) break;
      start = index + 1;
      characters = 0;
    }
    if (performance.now() >= turnEndsMs) {
      await setImmediate();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }
  return { stored, issues: issues.slice(0, MAX_ISSUES) };
}

async function groupIssues(
  calls: readonly ScheduledCallRequest[],
  start: number,
  { template, checks }: BatchDeps,
): Promise<Issue[]> {
  const contexts = calls.map(({ templateContext }) => templateContext ?? {});
  const found = await contextIssues(template, contexts, checks);
  return found.flatMap((issues, index) => atCall(start + index, issues));
}

function atCall(index: number, issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({ path: `calls.${index}.${path}`, message }));
}

/** Without null fields and fields that the service sets. */
function storedCall(given: ScheduledCallRequest): StoredScheduledCall {
  const { medium, metadata, templateContext, experimentalSettings } = given;
  return {
    ...(medium && { medium }),
    ...(metadata && { metadata }),
    ...(templateContext && { templateContext }),
    ...(experimentalSettings && { experimentalSettings }),
  };
}
