import { durationToMs } from '@calls/api-contract/duration';
import { BaseToolDefinition, MAX_TOOL_TIMEOUT_MS, toolKind, TOOL_KINDS } from '@calls/api-contract/rest/tool';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { httpIssues, urlIssues, type UrlRule } from './http-issues.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { securityIssues } from './security.ts';

const shape = compileValidator('tool definition', BaseToolDefinition);

/**
 * Issues of a tool definition that the schema does not find. Accepts any value; schema violations are not reported.
 */
export async function definitionIssues(
  definition: unknown,
  path: string,
  urlRule: UrlRule,
  checks: UntrustedChecks,
): Promise<Issue[]> {
  if (shape.issues(definition).length > 0) return [];
  const given = definition as BaseToolDefinition;
  const parameters = parametersOf(given);
  const at = (issues: Issue[]): Issue[] =>
    issues.map((issue) => ({ ...issue, path: [path, issue.path].filter((part) => part !== '').join('.') }));
  return at([
    ...implementationIssues(given, parameters),
    ...(given.http ? httpIssues(given.http, parameters, urlRule) : []),
    ...(given.mcp ? mcpIssues(given, urlRule) : []),
    ...nameIssues(parameters),
    ...(await schemaIssues(given, checks)),
    ...valueIssues(given),
    ...timeoutIssues(given),
    ...interruptionIssues(given),
    ...overrideIssues(given, parameters),
    ...securityIssues(given, urlRule),
  ]);
}

function implementationIssues(definition: BaseToolDefinition, parameters: readonly Parameter[]): Issue[] {
  const [implementation, second] = TOOL_KINDS.filter((each) => definition[each] !== undefined);
  if (implementation === undefined || second !== undefined) {
    return [{ path: '', message: `must have exactly one of ${TOOL_KINDS.join(', ')}` }];
  }
  if (implementation === 'http') return [];
  return parameters
    .filter(({ location }) => location !== 'PARAMETER_LOCATION_BODY')
    .map((parameter) => ({
      path: `${pathOf(parameter)}.location`,
      message: `must be PARAMETER_LOCATION_BODY, the only location that a ${implementation} tool supports`,
    }));
}

function mcpIssues(
  { mcp, dynamicParameters = [], requirements }: BaseToolDefinition,
  urlRule: UrlRule,
): Issue[] {
  const options = requirements?.httpSecurityOptions?.options ?? [];
  return [
    ...urlIssues(mcp?.url ?? '', 'mcp.url', urlRule),
    ...(dynamicParameters.length === 0
      ? []
      : [
          {
            path: 'dynamicParameters',
            message: 'must be empty: an MCP server describes the parameters itself',
          },
        ]),
    ...options.flatMap(({ svcCallTokenRequirement }, index) =>
      svcCallTokenRequirement === undefined
        ? []
        : [
            {
              path: `requirements.httpSecurityOptions.options.${index}.svcCallTokenRequirement`,
              message: 'is for http tools only',
            },
          ],
    ),
  ];
}

function nameIssues(parameters: readonly Parameter[]): Issue[] {
  const seen = new Set<string>();
  return parameters.flatMap((parameter) => {
    if (!seen.has(parameter.name)) {
      seen.add(parameter.name);
      return [];
    }
    return [
      { path: `${pathOf(parameter)}.name`, message: 'must be unique among the parameters of the tool' },
    ];
  });
}

async function schemaIssues(definition: BaseToolDefinition, checks: UntrustedChecks): Promise<Issue[]> {
  const given = (definition.dynamicParameters ?? []).flatMap(({ schema }, index) =>
    schema === undefined ? [] : [{ schema, path: `dynamicParameters.${index}.schema` }],
  );
  const issues = await checks.schemaIssues(given.map(({ schema }) => schema));
  return given.flatMap(({ path }, index) => {
    const message = issues[index] ?? null;
    return message === null ? [] : [{ path, message }];
  });
}

function valueIssues(definition: BaseToolDefinition): Issue[] {
  const issues: Issue[] = [];
  definition.staticParameters?.forEach(({ value }, index) => {
    if (value === undefined) issues.push({ path: `staticParameters.${index}.value`, message: 'is required' });
  });
  definition.automaticParameters?.forEach(({ knownValue = 'KNOWN_PARAM_UNSPECIFIED' }, index) => {
    if (knownValue === 'KNOWN_PARAM_UNSPECIFIED') {
      issues.push({
        path: `automaticParameters.${index}.knownValue`,
        message: 'must be set, to a value other than KNOWN_PARAM_UNSPECIFIED',
      });
    }
  });
  return issues;
}

function timeoutIssues({ timeout }: BaseToolDefinition): Issue[] {
  if (timeout === undefined) return [];
  const ms = durationToMs(timeout);
  if (ms > 0 && ms <= MAX_TOOL_TIMEOUT_MS) return [];
  return [{ path: 'timeout', message: `must be more than 0s and at most ${MAX_TOOL_TIMEOUT_MS / 1000}s` }];
}

function interruptionIssues(definition: BaseToolDefinition): Issue[] {
  const { onInterruption, undoTool, precomputable, staticResponse } = definition;
  const kind = toolKind(definition);
  const undoes = onInterruption === 'INTERRUPTION_UNDO';
  if (!undoes && onInterruption !== 'INTERRUPTION_CANCEL') {
    const message = 'needs onInterruption INTERRUPTION_CANCEL or INTERRUPTION_UNDO';
    return undoTool === undefined ? [] : [{ path: 'undoTool', message }];
  }
  const refuse = (message: string): Issue[] => [
    { path: 'onInterruption', message: `must not be ${message}` },
  ];
  if (staticResponse)
    return refuse(`${onInterruption} with staticResponse: the agent does not wait for the tool`);
  if (!undoes && (kind === 'client' || kind === 'dataConnection'))
    return refuse(`INTERRUPTION_CANCEL for a ${kind} tool, which cannot be stopped; use INTERRUPTION_UNDO`);
  if (kind === 'mcp' && (undoes || undoTool !== undefined))
    return undoes
      ? refuse('INTERRUPTION_UNDO for an mcp tool, which stands for several tools; use INTERRUPTION_CANCEL')
      : [{ path: 'undoTool', message: 'must not be set for an mcp tool, which stands for several tools' }];
  if (undoes && undoTool === undefined)
    return [{ path: 'undoTool', message: 'is required with INTERRUPTION_UNDO' }];
  return undoTool !== undefined && precomputable === true
    ? [{ path: 'undoTool', message: 'must not be set for a precomputable tool, which changes nothing' }]
    : [];
}

function overrideIssues({ requirements }: BaseToolDefinition, parameters: readonly Parameter[]): Issue[] {
  const names = new Set(parameters.map(({ name }) => name));
  return (requirements?.requiredParameterOverrides ?? []).flatMap((name, index) =>
    names.has(name)
      ? []
      : [
          {
            path: `requirements.requiredParameterOverrides.${index}`,
            message: 'must be the name of a parameter of the tool',
          },
        ],
  );
}

function pathOf({ list, index }: Parameter): string {
  return `${list}.${index}`;
}
