import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { ToolSecurityOptions } from '@calls/api-contract/rest/tool-requirements';
import type { Issue } from '@calls/foundation/schema/validator';
import { headerNameIssue } from './http-issues.ts';

type SecurityOption = NonNullable<ToolSecurityOptions['options']>[number];
type Requirement = NonNullable<SecurityOption['requirements']>[string];

/** Credentials that a call sends to a tool; the values are secrets. */
export interface ToolAuth {
  headers: Record<string, string>;
  queryParams: Record<string, string>;
  /** Scopes of the call token; null if none is sent. */
  callTokenScopes: readonly string[] | null;
}

const NO_AUTH: ToolAuth = { headers: {}, queryParams: {}, callTokenScopes: null };
const OPTIONS_PATH = 'requirements.httpSecurityOptions';

export function securityIssues({ http, mcp, requirements }: BaseToolDefinition): Issue[] {
  const { httpSecurityOptions } = requirements ?? {};
  if (!httpSecurityOptions) return [];
  if (!http && !mcp) return [{ path: OPTIONS_PATH, message: 'are for http and mcp tools only' }];
  return (httpSecurityOptions.options ?? []).flatMap((option, index) =>
    optionFaults(option, `${OPTIONS_PATH}.options.${index}`),
  );
}

function optionFaults({ requirements = {} }: SecurityOption, path: string): Issue[] {
  const targets = new Set<string>();
  return Object.entries(requirements).flatMap(([name, requirement]) => {
    const at = `${path}.requirements.${name}`;
    if (name === '') return [{ path: at, message: 'must have a name' }];
    const target = targetOf(requirement);
    const message =
      target.in === 'query'
        ? null
        : (headerNameIssue(target.name) ??
          (/^[!-~]+$/u.test(requirement.httpAuth?.scheme ?? '-')
            ? null
            : 'must have a scheme without spaces'));
    if (message !== null) return [{ path: at, message }];
    const key = target.in === 'query' ? `?${target.name}` : target.name.toLowerCase();
    if (targets.has(key))
      return [{ path: at, message: `sends ${target.name}, which another requirement of the option sends` }];
    targets.add(key);
    return [];
  });
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
  const chosen = satisfied.find((option) => !isEmpty(option)) ?? satisfied[0];
  if (chosen) return { auth: authOf(chosen, tokens) };
  if (options.length === 0) return { auth: NO_AUTH };
  const wanted = options.map((option) => Object.keys(option.requirements ?? {}).join(' and ')).join(', or ');
  return { issues: [{ path: 'authTokens', message: `must satisfy the tool's security: ${wanted}` }] };
}

function isEmpty({ requirements = {}, svcCallTokenRequirement }: SecurityOption): boolean {
  return Object.keys(requirements).length === 0 && svcCallTokenRequirement === undefined;
}

function authOf(option: SecurityOption, tokens: Readonly<Record<string, string>>): ToolAuth {
  const headers: [string, string][] = [];
  const queryParams: [string, string][] = [];
  for (const [name, requirement] of Object.entries(option.requirements ?? {})) {
    const target = targetOf(requirement);
    const token = tokens[name] ?? '';
    const { httpAuth } = requirement;
    if (target.in === 'query') queryParams.push([target.name, token]);
    else headers.push([target.name, httpAuth ? `${httpAuth.scheme} ${token}` : token]);
  }
  return {
    headers: Object.fromEntries(headers),
    queryParams: Object.fromEntries(queryParams),
    callTokenScopes: option.svcCallTokenRequirement ? (option.svcCallTokenRequirement.scopes ?? []) : null,
  };
}
