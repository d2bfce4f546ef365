import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { ToolSecurityOptions } from '@calls/api-contract/rest/tool-requirements';
import type { Issue } from '@calls/foundation/schema/validator';
import { toolHeaderIssue, urlIssues, type UrlRule } from './http-issues.ts';

type SecurityOption = NonNullable<ToolSecurityOptions['options']>[number];
type Requirement = NonNullable<SecurityOption['requirements']>[string];
type OAuthRequirement = NonNullable<Requirement['oauthClient']>;

/** Credentials that a call sends to a tool; the values are secrets. */
export interface ToolAuth extends ToolCredentials {
  /** Scopes of the call token; null if none is sent. */
  callTokenScopes: readonly string[] | null;
}

/** The part of the credentials that is stored sealed. */
export type ToolCredentials = CallToolSpec['auth'];

const NO_AUTH: ToolAuth = { headers: {}, queryParams: {}, callTokenScopes: null };
const OPTIONS_PATH = 'requirements.httpSecurityOptions';

export function securityIssues({ http, mcp, requirements }: BaseToolDefinition, urlRule: UrlRule): Issue[] {
  const { httpSecurityOptions } = requirements ?? {};
  if (!httpSecurityOptions) return [];
  if (!http && !mcp) return [{ path: OPTIONS_PATH, message: 'are for http and mcp tools only' }];
  return (httpSecurityOptions.options ?? []).flatMap((option, index) =>
    optionIssues(option, `${OPTIONS_PATH}.options.${index}`, { isMcp: mcp !== undefined, urlRule }),
  );
}

function optionIssues(
  { requirements = {} }: SecurityOption,
  path: string,
  { isMcp, urlRule }: { isMcp: boolean; urlRule: UrlRule },
): Issue[] {
  /** Names of requirements by what they set. */
  const targets = new Map<string, string>();
  return Object.entries(requirements).flatMap(([name, requirement]) => {
    const at = `${path}.requirements.${name}`;
    if (name === '') return [{ path: at, message: 'must have a name' }];
    const { oauthClient } = requirement;
    if (oauthClient && !isMcp) return [{ path: `${at}.oauthClient`, message: 'is for mcp tools only' }];
    const issues = oauthClient ? tokenUrlIssues(oauthClient, `${at}.oauthClient.tokenUrl`, urlRule) : [];
    if (issues.length > 0) return issues;
    const target = targetOf(requirement);
    const message =
      target.in === 'query'
        ? null
        : (toolHeaderIssue(target.name) ??
          (/^[!-~]+$/u.test(requirement.httpAuth?.scheme ?? '-')
            ? null
            : 'must have a scheme without spaces'));
    if (message !== null) return [{ path: at, message }];
    const key = target.in === 'query' ? `?${target.name}` : target.name.toLowerCase();
    const other = targets.get(key);
    if (other !== undefined) {
      const message = `sends ${target.name}, which ${path}.requirements.${other} also sends; remove one of them`;
      return [{ path: at, message }];
    }
    targets.set(key, name);
    return [];
  });
}

/** OAuth 2.1 requires TLS; a loopback address is for development. */
function tokenUrlIssues({ tokenUrl }: OAuthRequirement, path: string, urlRule: UrlRule): Issue[] {
  if (tokenUrl === undefined) return [];
  const issues = urlIssues(tokenUrl, path, urlRule);
  if (issues.length > 0) return issues;
  const { protocol, hostname } = new URL(tokenUrl);
  const isSafe = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isSafe ? [] : [{ path, message: 'must be an https URL, because it receives the client secret' }];
}

function targetOf(requirement: Requirement): { in: 'header' | 'query'; name: string } {
  const { queryApiKey, headerApiKey } = requirement;
  if (queryApiKey) return { in: 'query', name: queryApiKey.name };
  return { in: 'header', name: headerApiKey?.name ?? 'Authorization' };
}

/**
 * Chooses how a call authenticates with a tool: the first security option that the given tokens satisfy. An option without
 * requirements is used only if no other is satisfied.
 */
export function satisfySecurity(
  definition: BaseToolDefinition,
  tokens: Readonly<Record<string, string>>,
): { auth: ToolAuth } | { issues: Issue[] } {
  const options = definition.requirements?.httpSecurityOptions?.options ?? [];
  const known = new Set(options.flatMap((option) => Object.keys(option.requirements ?? {})));
  const issues = Object.entries(tokens).flatMap(([name, token]) => {
    const path = `authTokens.${name}`;
    if (!known.has(name)) return [{ path, message: 'is not a security requirement of the tool' }];
    // Characters that headers cannot contain.
    return /^[\t\x20-\x7e\x80-\xff]+$/u.test(token)
      ? []
      : [{ path, message: 'must be text that an HTTP header can carry' }];
  });
  if (issues.length > 0) return { issues };
  const satisfied = options.filter((option) =>
    Object.keys(option.requirements ?? {}).every((name) => Object.hasOwn(tokens, name)),
  );
  const conflict = oauthConflict(satisfied);
  if (conflict) return { issues: [conflict] };
  const chosen = satisfied.find((option) => !isEmpty(option)) ?? satisfied[0];
  if (chosen) return { auth: authOf(chosen, tokens) };
  if (options.length === 0) return { auth: NO_AUTH };
  const wanted = options.map((option) => Object.keys(option.requirements ?? {}).join(' and ')).join(', or ');
  return { issues: [{ path: 'authTokens', message: `must satisfy the tool's security: ${wanted}` }] };
}

/** A client secret together with a static token for the same header: only one of them could be used. */
function oauthConflict(satisfied: readonly SecurityOption[]): Issue | null {
  const authorizing = satisfied.flatMap(({ requirements = {} }) =>
    Object.entries(requirements).filter(([, each]) => targetOf(each).name.toLowerCase() === 'authorization'),
  );
  const [oauth] = authorizing.find(([, each]) => each.oauthClient) ?? [];
  const [other] = authorizing.find(([, each]) => !each.oauthClient) ?? [];
  if (oauth === undefined || other === undefined) return null;
  const message = `must not be given with authTokens.${other}: both are for the Authorization header`;
  return { path: `authTokens.${oauth}`, message };
}

function isEmpty({ requirements = {}, svcCallTokenRequirement }: SecurityOption): boolean {
  return Object.keys(requirements).length === 0 && svcCallTokenRequirement === undefined;
}

function authOf(option: SecurityOption, tokens: Readonly<Record<string, string>>): ToolAuth {
  const headers: [string, string][] = [];
  const queryParams: [string, string][] = [];
  let oauthClient: ToolCredentials['oauthClient'];
  for (const [name, requirement] of Object.entries(option.requirements ?? {})) {
    const target = targetOf(requirement);
    const token = tokens[name] ?? '';
    const { httpAuth } = requirement;
    if (requirement.oauthClient) oauthClient = { ...requirement.oauthClient, clientSecret: token };
    else if (target.in === 'query') queryParams.push([target.name, token]);
    else headers.push([target.name, httpAuth ? `${httpAuth.scheme} ${token}` : token]);
  }
  return {
    headers: Object.fromEntries(headers),
    queryParams: Object.fromEntries(queryParams),
    ...(oauthClient && { oauthClient }),
    callTokenScopes: option.svcCallTokenRequirement ? (option.svcCallTokenRequirement.scopes ?? []) : null,
  };
}
