import type {
  ToolErrorType,
  ToolReaction,
  ToolResponseType,
} from '@calls/api-contract/data-messages/tool-results';
import { isTooDeep } from '@calls/api-contract/validation/text-faults';
import type { ToolHttpResponse } from '../ports/tools.ts';

/** What a tool answers, by whatever way it came. */
export interface ToolResponse {
  result: string;
  responseType: ToolResponseType;
  /** Null: the tool's default. */
  reaction: ToolReaction | null;
  updateCallState: Record<string, unknown> | null;
  error: { type: ToolErrorType; told: string; details: string } | null;
}

const MAX_ERROR_CHARS = 2000;

/** Stands for the body of a `new-stage` result, which has the secrets of the stage in it, wherever results are shown, stored or sent. */
export const NEW_STAGE_NOTE = 'stage changed';

/** An answer over HTTP (docs/reference/tools.md). Headers that say something unknown are named in `faults` and not followed. */
export function httpToolResponse({
  status,
  headers,
  body,
}: ToolHttpResponse): ToolResponse & { faults: string[] } {
  const faults: string[] = [];
  const responseType = oneOf(
    headers,
    'X-Svc-Response-Type',
    ['tool-response', 'hang-up', 'new-stage'],
    faults,
  );
  const reaction = oneOf(headers, 'X-Svc-Agent-Reaction', ['speaks', 'listens', 'speaks-once'], faults);
  const updateCallState = stateUpdate(headers, faults);
  const said = responseType === 'new-stage' ? '' : body.slice(0, MAX_ERROR_CHARS);
  const told = `the tool answered with HTTP status ${status}${said === '' ? '' : `: ${said}`}`;
  const ok = status >= 200 && status < 300;
  return {
    result: body,
    responseType: responseType ?? 'tool-response',
    reaction,
    updateCallState: ok ? updateCallState : null,
    error: ok ? null : { type: 'implementation-error', told, details: told },
    faults,
  };
}

function oneOf<const T extends string>(
  headers: ToolHttpResponse['headers'],
  name: string,
  known: readonly T[],
  faults: string[],
): T | null {
  const given = headers[name.toLowerCase()]?.trim();
  if (given === undefined || given === '') return null;
  const found = known.find((each) => each === given.toLowerCase());
  if (found === undefined) faults.push(`${name} must be one of ${known.join(', ')}`);
  return found ?? null;
}

function stateUpdate(headers: ToolHttpResponse['headers'], faults: string[]): Record<string, unknown> | null {
  const given = headers['x-svc-update-call-state'];
  if (given === undefined) return null;
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isTooDeep(value)) {
      return Object.fromEntries(Object.entries(value));
    }
  } catch {
    // Told below, as what is JSON but no object is.
  }
  faults.push('X-Svc-Update-Call-State must be a JSON object, and not nested too deep');
  return null;
}
