import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import type {
  ToolErrorType,
  ToolReaction,
  ToolResponseType,
} from '@calls/api-contract/data-messages/tool-results';
import { isTooDeep } from '@calls/api-contract/validation/text-faults';
import type { ToolHttpResponse } from '../ports/tools.ts';

/** The response of a tool, from any channel. */
export interface ToolResponse {
  result: string;
  responseType: ToolResponseType;
  /** Null: the tool's default. */
  reaction: ToolReaction | null;
  updateCallState: Record<string, unknown> | null;
  error: { type: ToolErrorType; message: string; details: string } | null;
}

const MAX_ERROR_CHARS = 2000;

/**
 * Replaces the body of a `new-stage` result, which may contain secrets, wherever results are shown, stored or
 * sent.
 */
export const NEW_STAGE_NOTE = 'stage changed';

/** Parses an HTTP response (docs/reference/tools.md). Headers with unknown values are ignored and listed in `faults`. */
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
  const message = `the tool responded with HTTP status ${status}${said === '' ? '' : `: ${said}`}`;
  const ok = status >= 200 && status < 300;
  return {
    result: body,
    responseType: responseType ?? 'tool-response',
    reaction,
    updateCallState: ok ? updateCallState : null,
    error: ok ? null : { type: 'implementation-error', message, details: message },
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
    // Reported below, together with JSON that is not an object.
  }
  faults.push('X-Svc-Update-Call-State must be a JSON object, and not nested too deep');
  return null;
}

const REACTIONS: Record<NonNullable<CallToolDefinition['defaultReaction']>, ToolReaction> = {
  AGENT_REACTION_UNSPECIFIED: 'speaks',
  AGENT_REACTION_SPEAKS: 'speaks',
  AGENT_REACTION_LISTENS: 'listens',
  AGENT_REACTION_SPEAKS_ONCE: 'speaks-once',
};

export function defaultReactionOf({ defaultReaction }: CallToolDefinition): ToolReaction {
  return REACTIONS[defaultReaction ?? 'AGENT_REACTION_UNSPECIFIED'];
}
