import { setImmediate } from 'node:timers/promises';
import type { CallTemplate, Fault, ScheduledCallRequest } from '@calls/api-contract';
import { contextRules, requestFaults, sealScheduledCall } from '@calls/call-creation';
import type { SecretBox } from '@calls/secret-box';
import type { StoredScheduledCall } from '@calls/store';

const MAX_FAULTS = 50;
/** Then other requests get a turn: a batch may take long to check. */
const TURN_MS = 10;

/**
 * Checks the calls of a batch, which fit their schema, and makes of them what is stored. Of the faults the first ones are
 * told, with paths from `calls`.
 */
export async function prepareCalls(
  calls: readonly ScheduledCallRequest[],
  parts: { template: CallTemplate; secretBox: SecretBox; accountId: string },
): Promise<{ stored: StoredScheduledCall[]; faults: Fault[] }> {
  const { secretBox, accountId } = parts;
  const contextFaults = contextRules(parts.template);
  const stored: StoredScheduledCall[] = [];
  const faults: Fault[] = [];
  let turnEndsMs = performance.now() + TURN_MS;
  for (const [index, given] of calls.entries()) {
    const call = storedCall(given);
    const found = [...requestFaults(call), ...contextFaults(call.templateContext ?? {})];
    for (const { path, message } of found) faults.push({ path: `calls.${index}.${path}`, message });
    if (faults.length >= MAX_FAULTS) break;
    stored.push(sealScheduledCall(secretBox, accountId, call));
    if (performance.now() >= turnEndsMs) {
      await setImmediate();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }
  return { stored, faults: faults.slice(0, MAX_FAULTS) };
}

/** Without what the service sets, and what is null. */
function storedCall(given: ScheduledCallRequest): StoredScheduledCall {
  const { medium, metadata, templateContext, experimentalSettings } = given;
  return {
    ...(medium && { medium }),
    ...(metadata && { metadata }),
    ...(templateContext && { templateContext }),
    ...(experimentalSettings && { experimentalSettings }),
  };
}
