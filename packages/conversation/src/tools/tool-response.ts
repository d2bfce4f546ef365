import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import {
  ToolReaction,
  ToolResponseType,
  type ToolErrorType,
} from '@calls/api-contract/data-messages/tool-results';
import { isTooDeep } from '@calls/api-contract/validation/text-issues';
import { isJsonObject } from '@calls/foundation/json-object';
import type { McpToolResult, ToolHttpResponse } from '../ports/tools.ts';

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

/** Parses an HTTP response (docs/reference/tools.md). Headers with unknown values are ignored and listed in `issues`. */
export function httpToolResponse({
  status,
  headers,
  body,
  isRedirected = false,
}: ToolHttpResponse): ToolResponse & { issues: string[] } {
  const issues: string[] = [];
  const header = (name: string): string | undefined => headers[name.toLowerCase()];
  const responseType = oneOf(header, 'X-Svc-Response-Type', ToolResponseType.enum, issues);
  const reaction = oneOf(header, 'X-Svc-Agent-Reaction', ToolReaction.enum, issues);
  const updateCallState = stateUpdate(header, 'X-Svc-Update-Call-State', issues);
  const said = responseType === 'new-stage' ? '' : body.slice(0, MAX_ERROR_CHARS);
  const what = `HTTP status ${status}${isRedirected ? ' after a redirect' : ''}`;
  const message = `the tool responded with ${what}${said === '' ? '' : `: ${said}`}`;
  const ok = status >= 200 && status < 300;
  return {
    result: body,
    responseType: responseType ?? 'tool-response',
    reaction,
    updateCallState: ok ? updateCallState : null,
    error: ok ? null : { type: 'implementation-error', message, details: message },
    issues,
  };
}

/** Converts the result of an MCP tool, whose `_meta` may have the fields of a client tool's result. */
export function mcpToolResponse({ text, isError, meta }: McpToolResult): ToolResponse & { issues: string[] } {
  const issues: string[] = [];
  const field = (name: string): unknown => (Object.hasOwn(meta, name) ? meta[name] : undefined);
  const responseType = oneOf(field, 'svc/responseType', ToolResponseType.enum, issues);
  const reaction = oneOf(field, 'svc/agentReaction', ToolReaction.enum, issues);
  const updateCallState = stateUpdate(field, 'svc/updateCallState', issues);
  const said = responseType === 'new-stage' ? '' : text.slice(0, MAX_ERROR_CHARS);
  const message = said === '' ? 'the tool failed' : said;
  return {
    result: text,
    responseType: responseType ?? 'tool-response',
    reaction,
    updateCallState: isError ? null : updateCallState,
    error: isError ? { type: 'implementation-error', message, details: message } : null,
    issues,
  };
}

type Fields = (name: string) => unknown;

function oneOf<const T extends string>(
  fields: Fields,
  name: string,
  known: readonly T[],
  issues: string[],
): T | null {
  const given = fields(name);
  if (given === undefined || (typeof given === 'string' && given.trim() === '')) return null;
  const found = known.find((each) => typeof given === 'string' && each === given.trim().toLowerCase());
  if (found === undefined) issues.push(`${name} must be one of ${known.join(', ')}`);
  return found ?? null;
}

/** Reads an object that is given as such or as JSON. */
function stateUpdate(fields: Fields, name: string, issues: string[]): Record<string, unknown> | null {
  const given = fields(name);
  if (given === undefined) return null;
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    if (isJsonObject(value) && !isTooDeep(value)) return value;
  } catch {
    // Reported below, together with JSON that is not an object.
  }
  issues.push(`${name} must be a JSON object, and must not be nested too deeply`);
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
