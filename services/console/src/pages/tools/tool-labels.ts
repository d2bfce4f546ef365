import type { Schemas } from '../../api/client.ts';

export type Tool = Schemas['Tool'];
export type Definition = Schemas['BaseToolDefinition'];
export type Kind = 'http' | 'client' | 'dataConnection' | 'mcp';

/** The kinds of tools, by what runs them. */
export const KINDS: readonly { value: Kind; label: string; meaning: string }[] = [
  { value: 'http', label: 'HTTP', meaning: 'The service makes an HTTP request.' },
  { value: 'client', label: 'Client', meaning: 'The client of the call runs it, such as your page.' },
  { value: 'dataConnection', label: 'Data connection', meaning: 'The data connection of the call runs it.' },
  { value: 'mcp', label: 'MCP server', meaning: 'Agents get the tools of an MCP server.' },
];

/** Undefined for built-in tools. */
export function kindOf(definition: Definition): Kind | undefined {
  return KINDS.find(({ value }) => definition[value] !== undefined)?.value;
}

/** `GET https://example.com/orders/{id}` for HTTP tools, otherwise what runs the tool. */
export function runnerText(definition: Definition): string {
  const { http, mcp } = definition;
  if (mcp) return mcp.url;
  if (http) return `${http.httpMethod ?? 'GET'} ${http.baseUrlPattern ?? ''}`;
  const kind = kindOf(definition);
  return KINDS.find(({ value }) => value === kind)?.label ?? 'The service';
}

/** Returns the definition with another kind. The service chooses the locations of its parameters again. */
export function withKind(definition: Definition, kind: Kind): Definition {
  const { http: _http, client: _client, dataConnection: _connection, mcp: _mcp, ...rest } = definition;
  const { dynamicParameters, staticParameters, automaticParameters } = rest;
  return {
    ...rest,
    ...(dynamicParameters && { dynamicParameters: dynamicParameters.map(unlocated) }),
    ...(staticParameters && { staticParameters: staticParameters.map(unlocated) }),
    ...(automaticParameters && { automaticParameters: automaticParameters.map(unlocated) }),
    [kind]: {},
  };
}

function unlocated<P extends { location?: unknown }>({ location: _location, ...parameter }: P) {
  return parameter;
}

export type Requirement = Schemas['SecurityRequirement'];

/** The tokens that a tool needs, by name; undefined if only the JSON view can show them. */
export function tokensOf(definition: Definition): Readonly<Record<string, Requirement>> | undefined {
  const options = definition.requirements?.httpSecurityOptions?.options ?? [];
  const [option] = options;
  if (options.length > 1 || option?.svcCallTokenRequirement) return undefined;
  const requirements = option?.requirements ?? {};
  return Object.values(requirements).some(({ oauthClient }) => oauthClient) ? undefined : requirements;
}

/** The names of all tokens that requests may carry. */
export function tokenNames(definition: Definition): string[] {
  const options = definition.requirements?.httpSecurityOptions?.options ?? [];
  return [...new Set(options.flatMap(({ requirements }) => Object.keys(requirements ?? {})))];
}
