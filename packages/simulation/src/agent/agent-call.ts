import type { CallSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';
import { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import { requestNormalizer } from '@calls/api-contract/validation/request-normalizer';
import { buildCallSpec, buildStageSpec } from '@calls/call-lifecycle/creation/build-call-spec';
import type { OfferedMedium } from '@calls/call-lifecycle/creation/offered-medium';
import { resolveSettings } from '@calls/call-lifecycle/creation/resolve-settings';
import { newStage, newStageIssues } from '@calls/call-lifecycle/creation/stages/new-stage-issues';
import { overridesOf, stageSettings } from '@calls/call-lifecycle/creation/stages/stage-settings';
import { contextIssues, renderTemplate } from '@calls/call-lifecycle/creation/templates/render-template';
import { templateIssues } from '@calls/call-lifecycle/creation/templates/template-issues';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { resolveAmong } from '@calls/call-lifecycle/creation/tools/resolve-tools';
import type { McpToolLists } from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import type { ResolvedTool } from '@calls/call-lifecycle/creation/tools/resolved-tool';
import type { UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import { InvalidStageError, type StageRequest } from '@calls/conversation/ports/tools';
import { newId } from '@calls/foundation/ids';
import { omit } from '@calls/foundation/omit';
import { compileValidator, ValidationError, type Issue } from '@calls/foundation/schema/validator';
import { TELEPHONY_DIALECTS } from '@calls/providers/telephony/telephony-vendors';
import type { ToolRow } from '@calls/store/tables/tools';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

/** A tool that the account has stored. */
export type StoredTool = Pick<ToolRow, 'tool_id' | 'name' | 'definition'>;

/** What is tested: the template of an agent, and the tools that it can name. */
export interface TestedAgent {
  name: string;
  template: CallTemplate;
  tools: readonly StoredTool[];
}

export interface AgentCallDeps {
  /** Owns the lists of tools of MCP servers. */
  accountId: string;
  checks: UntrustedChecks;
  /** Lists the tools of MCP servers; the tools themselves are stubs. */
  mcpTools: McpToolLists;
  /** Which URLs tools may have. */
  urls: UrlGuard;
  /** Time of the creation. */
  wallMs: number;
}

/** A call of an agent that is not stored. */
export interface AgentCall {
  spec: CallSpec;
  /** Makes the stage that a tool has returned, as StageResolver. */
  resolveStage(request: StageRequest): Promise<StageSpec>;
}

const validator = compileValidator('call template', CallTemplate.Request);
const normalize = requestNormalizer(CallTemplate.Request);
const ACCOUNT_ID = '00000000-0000-4000-8000-000000000000';
/** Voices are chosen by the mode of the simulation. */
const SIMULATED_VOICE = { engine: 'simulated', settings: {} };
const WEB: OfferedMedium = { kind: 'serverWebSocket', given: { inputSampleRate: 16_000 } };

/** A template as the API accepts it. Throws a ValidationError. */
export async function parseTemplate(given: unknown, checks: UntrustedChecks): Promise<CallTemplate> {
  const { value, issues: spelling } = normalize(given);
  const template = validator.parse(value);
  const issues = [...spelling, ...(await templateIssues(template, checks))];
  if (issues.length > 0) throw new ValidationError('call template', issues);
  return template;
}

/** Throws a ValidationError if the scenario's context or the agent's tools do not fit. */
export async function agentCall(
  agent: TestedAgent,
  { templateContext = {}, medium }: NonNullable<TestScenario['call']>,
  deps: AgentCallDeps,
): Promise<AgentCall> {
  const [unfit = []] = await contextIssues(agent.template, [templateContext], deps.checks);
  refuse('call', unfit);
  const rendered = renderTemplate(agent.template, templateContext);
  if ('issues' in rendered) throw new ValidationError('call template', rendered.issues);
  const settings = resolveSettings(omit(rendered.template, 'name', 'contextSchema'));
  const resolve = async (selectedTools: readonly SelectedTool[]): Promise<ResolvedTool[]> => {
    const known = [...agent.tools.map((tool) => toolRow(tool, ACCOUNT_ID)), ...BUILT_IN_ROWS];
    const hasTokens = ({ tool_id, name }: ToolRow): boolean =>
      selectedTools.some((each) => each.authTokens && (each.toolId === tool_id || each.toolName === name));
    const stubbed = known.map((tool) => ({
      ...tool,
      definition: withoutSecurity(tool.definition, hasTokens(tool)),
    }));
    const { tools, issues } = await resolveAmong(stubbed, {
      accountId: deps.accountId,
      selectedTools: selectedTools.map((tool) =>
        tool.temporaryTool
          ? { ...tool, temporaryTool: withoutSecurity(tool.temporaryTool, tool.authTokens !== undefined) }
          : tool,
      ),
      path: 'selectedTools',
      urlRule: () => null,
      checks: deps.checks,
      mcpTools: deps.mcpTools,
      hasDataConnection: true,
    });
    if (!tools) throw new ValidationError('agent', issues);
    return tools;
  };
  const tools = await resolve(settings.selectedTools ?? []);
  const ids = { callId: newId(), accountId: ACCOUNT_ID, firstStageId: newId() };
  const spec = buildCallSpec({
    ...ids,
    createdAtMs: deps.wallMs,
    settings,
    medium: mediumOf(settings, medium),
    voice: SIMULATED_VOICE,
    tools,
    greetingPromptEnabled: true,
  });
  const stages = new Stages({ settings, tools, resolve, urls: deps.urls, firstStageId: ids.firstStageId });
  return { spec, resolveStage: (request) => stages.make(request) };
}

interface StagesOptions {
  settings: CallSettings;
  tools: readonly ResolvedTool[];
  resolve: (selected: readonly SelectedTool[]) => Promise<ResolvedTool[]>;
  urls: UrlGuard;
  firstStageId: string;
}

/** The stages of a simulated call, by the rules of `makeStage`. */
class Stages {
  readonly #options: StagesOptions;
  readonly #made = new Map<string, { overrides: StageOverrides; tools: readonly ResolvedTool[] }>();

  constructor(options: StagesOptions) {
    this.#options = options;
    this.#made.set(options.firstStageId, { overrides: {}, tools: options.tools });
  }

  async make({ body, currentStageId, stageId }: StageRequest): Promise<StageSpec> {
    const { settings: call, resolve, urls } = this.#options;
    const current = this.#made.get(currentStageId) ?? { overrides: {}, tools: [] };
    const issues = newStageIssues(urls, stageSettings(call, current.overrides), body);
    if (issues.length > 0) throw new InvalidStageError(issues);
    const named = newStage.parse(body);
    const overrides = overridesOf(call, current.overrides, named);
    const tools = named.selectedTools ? await resolve(named.selectedTools) : current.tools;
    this.#made.set(stageId, { overrides, tools });
    const settings = omit(stageSettings(call, overrides), 'selectedTools');
    const { initialMessages = [] } = named;
    return buildStageSpec({
      stageId,
      settings: { ...settings, initialMessages },
      voice: SIMULATED_VOICE,
      tools,
    });
  }
}

function refuse(what: string, issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationError(what, issues);
}

function mediumOf({ medium }: CallSettings, wanted: 'web' | 'phone' | undefined): OfferedMedium {
  const [telephony] = TELEPHONY_DIALECTS.flatMap((kind) => {
    const given = medium[kind];
    return given ? [{ kind, given }] : [];
  });
  const phone: OfferedMedium = telephony ?? { kind: 'telephony1', given: {} };
  if (wanted === undefined) return telephony || medium.sip ? phone : WEB;
  return wanted === 'phone' ? phone : WEB;
}

/** Stubs need no tokens. The list of an MCP server is real: it is fetched with the tokens, if there are any. */
function withoutSecurity(definition: BaseToolDefinition, hasTokens: boolean): BaseToolDefinition {
  const { requirements, ...others } = definition;
  if (!requirements?.httpSecurityOptions || (definition.mcp && hasTokens)) return definition;
  return { ...others, requirements: omit(requirements, 'httpSecurityOptions') };
}

const CREATED = new Date(0);

function toolRow(tool: StoredTool, accountId: string | null): ToolRow {
  return { ...tool, account_id: accountId, name_key: tool.name, created_at: CREATED };
}

const BUILT_IN_ROWS = BUILT_IN_TOOLS.map(({ toolId, name, definition }) =>
  toolRow({ tool_id: toolId, name, definition }, null),
);
