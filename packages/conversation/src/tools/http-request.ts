import { TOOL_METHODS, type CallToolDefinition } from '@calls/api-contract/rest/tool';
import { AppError } from '@calls/foundation/errors';
import type { Issue } from '@calls/foundation/schema/validator';
import type { ToolArguments } from './tool-arguments.ts';

/** A value that cannot be used in the location of its parameter. */
export class ToolArgumentError extends AppError {
  readonly issue: Issue;

  /** `issue`: its path is the parameter name. */
  constructor(issue: Issue) {
    super('bad_tool_argument', `invalid arguments: ${issue.path} ${issue.message}`, { retryable: false });
    this.issue = issue;
  }
}

/** Authentication of a request, by header and query parameter names. */
export interface RequestAuth {
  headers: Readonly<Record<string, string>>;
  queryParams: Readonly<Record<string, string>>;
}

/** Redirects that the request of a tool follows, in calls and in tests. */
export const MAX_TOOL_REDIRECTS = 3;

export interface ToolHttpRequest {
  method: (typeof TOOL_METHODS)[number];
  url: string;
  headers: Record<string, string>;
  /** JSON; undefined if the tool has no body parameters. */
  body: string | undefined;
}

interface Placed {
  name: string;
  location: string | undefined;
  value: unknown;
}

/**
 * Builds the request of an HTTP tool. `values` contains the dynamic and automatic parameters; parameters
 * without a value are omitted. Throws a ToolArgumentError.
 */
export function toolHttpRequest(
  definition: CallToolDefinition,
  values: ToolArguments,
  auth: RequestAuth,
): ToolHttpRequest {
  const { http, dynamicParameters = [], automaticParameters = [], staticParameters = [] } = definition;
  const given = [...dynamicParameters, ...automaticParameters].map(({ name, location }) => ({
    name,
    location,
    value: Object.hasOwn(values, name) ? values[name] : undefined,
  }));
  const placed: Placed[] = [
    ...given,
    ...staticParameters.map(({ name, location, value }) => ({ name, location, value })),
  ];
  const at = (location: string): Placed[] => placed.filter((each) => each.location === location);
  const present = (each: Placed): boolean => each.value !== undefined;

  const url = new URL(filledPath(http?.baseUrlPattern ?? '', at('PARAMETER_LOCATION_PATH')));
  for (const { name, value } of at('PARAMETER_LOCATION_QUERY').filter(present)) {
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, asText(item));
  }
  for (const [name, token] of Object.entries(auth.queryParams)) url.searchParams.set(name, token);
  const inBody = at('PARAMETER_LOCATION_BODY');
  const headers = Object.fromEntries([
    ...at('PARAMETER_LOCATION_HEADER')
      .filter(present)
      .map((each): [string, string] => [each.name, headerValue(each)]),
    ...Object.entries(auth.headers),
    ...(inBody.length > 0 ? [['Content-Type', 'application/json']] : []),
  ]) as Record<string, string>;
  const body = inBody.filter(present).map(({ name, value }): [string, unknown] => [name, value]);
  return {
    method: TOOL_METHODS.find((method) => method === http?.httpMethod) ?? 'GET',
    url: url.href,
    headers,
    body: inBody.length > 0 ? JSON.stringify(Object.fromEntries(body)) : undefined,
  };
}

function filledPath(pattern: string, parameters: readonly Placed[]): string {
  return pattern.replaceAll(/\{([^{}]*)\}/gu, (_place, name: string) => {
    const text = asText(parameters.find((each) => each.name === name)?.value ?? '');
    // Empty, "." and ".." segments would change the path.
    if (/^\.{0,2}$/u.test(text)) {
      throw new ToolArgumentError({ path: name, message: 'must be text that can be part of a path' });
    }
    return encodeURIComponent(text.toWellFormed());
  });
}

function headerValue({ name, value }: Placed): string {
  const text = typeof value === 'string' ? value : asciiJson(value);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/u.test(text)) {
    throw new ToolArgumentError({ path: name, message: 'must be text that an HTTP header can carry' });
  }
  return text;
}

/** JSON in ASCII, which any header can carry. Escapes all other UTF-16 code units. */
function asciiJson(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escaped);
}

/** Returns strings unchanged and other values as JSON. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
