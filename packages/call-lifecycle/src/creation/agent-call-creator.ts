import { StartCallRequest, type StartAgentCallRequest } from '@calls/api-contract/rest/call';
import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { withSecretsOf } from '@calls/api-contract/secrets';
import { omit } from '@calls/foundation/omit';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findAgent, type AgentRow } from '@calls/store/tables/agents';
import type { CallRow } from '@calls/store/tables/calls';
import type { CallCreator } from './call-creator.ts';
import type { CreateCallRequest } from './create-call-request.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { isOutgoing } from './request-issues.ts';
import { openTemplate } from './stored-secrets.ts';
import { overlayRequest, overrideTools, type ChosenTools } from './templates/overrides.ts';
import { contextIssues, renderTemplate } from './templates/render-template.ts';
import { templateIssues } from './templates/template-issues.ts';
import { resolveTools } from './tools/resolve-tools.ts';

export interface CreateAgentCallRequest extends Pick<
  CreateCallRequest,
  | 'account'
  | 'callId'
  | 'requestDigest'
  | 'throttle'
  | 'requestContext'
  | 'scheduledBatchId'
  | 'fromConsole'
  | 'inTransaction'
  | 'invite'
> {
  agentId: string;
  /** The row of the agent, if it is known or requested already; undefined if there is no such agent. */
  found?: Promise<AgentRow | undefined>;
  /** Already validated against its schema. */
  body: StartAgentCallRequest;
}

const callRequest = compileValidator('call', StartCallRequest);

/** Creates calls of agents: renders the template with the context of the request, then applies the settings of the request. */
export class AgentCallCreator {
  readonly #db: Database;
  readonly #secretBox: SecretBox;
  readonly #calls: CallCreator;

  constructor(deps: { db: Database; secretBox: SecretBox; calls: CallCreator }) {
    this.#db = deps.db;
    this.#secretBox = deps.secretBox;
    this.#calls = deps.calls;
  }

  /**
   * Null if the account has no such agent. Throws a CallRefusal as CallCreator does; paths of issues in the template begin with
   * `callTemplate`.
   */
  async create(request: CreateAgentCallRequest): Promise<CallRow | null> {
    const { agentId, found, body, ...rest } = request;
    const { accountId } = request.account;
    const agent = await (found ?? findAgent(this.#db, accountId, agentId));
    if (!agent) return null;
    if (body.agentId !== undefined && body.agentId.toLowerCase() !== agent.agent_id) {
      throw invalidCall([
        { path: 'agentId', message: 'must be the id of the agent in the path, or be left out' },
      ]);
    }
    const template = await this.#render(accountId, agent, body);
    const chosen = await this.#chooseTools(accountId, template, body);
    const merged = callRequestOf(template, body, chosen);
    const whereWas = originsOf(body, chosen);
    const issues = [...chosen.issues, ...callRequest.issues(merged).map(whereWas)];
    if (issues.length > 0) throw invalidCall(issues);
    try {
      return await this.#calls.create({
        ...rest,
        body: merged,
        greetingPromptEnabled: true,
        agent: {
          agentId: agent.agent_id,
          revisionId: body.callTemplate ? null : agent.published_revision_id,
          name: agent.name,
        },
      });
    } catch (thrown) {
      if (thrown instanceof CallRefusal && thrown.kind === 'invalid') {
        throw invalidCall(thrown.issues.map(whereWas));
      }
      throw thrown;
    }
  }

  async #render(
    accountId: string,
    agent: AgentRow,
    { callTemplate, templateContext: context = {} }: StartAgentCallRequest,
  ): Promise<CallTemplate> {
    const stored = agent.template && openTemplate(this.#secretBox, accountId, agent.template);
    const template = callTemplate ? withSecretsOf(CallTemplate.Request, stored, callTemplate) : stored;
    if (!template) return {};
    const checks = this.#calls.checksOf(accountId);
    const issues = callTemplate ? await templateIssues(callTemplate, checks) : [];
    if (issues.length > 0) throw invalidCall(inTemplate(issues));
    const [unfit = []] = await contextIssues(template, [context], checks);
    if (unfit.length > 0) throw invalidCall(unfit);
    const rendered = renderTemplate(template, context);
    if ('issues' in rendered) throw invalidCall(inTemplate(rendered.issues));
    return rendered.template;
  }

  async #chooseTools(
    accountId: string,
    { selectedTools = [] }: CallTemplate,
    { toolOverrides = {} }: StartAgentCallRequest,
  ): Promise<ChosenTools> {
    const { remove = [], removeAll = false } = toolOverrides;
    if (remove.length === 0 || removeAll)
      return overrideTools(selectedTools, { ...toolOverrides, remove: [] }, []);
    const path = 'callTemplate.selectedTools';
    // Only the names are needed here; CallCreator checks the rest.
    const checks = this.#calls.checksOf(accountId);
    const unchecked = { urlRule: () => null, mcpTools: null, hasDataConnection: true };
    const selection = { accountId, selectedTools, path, checks, ...unchecked };
    const named = await resolveTools(this.#db, selection);
    if (!named.tools) throw invalidCall(named.issues);
    return overrideTools(
      selectedTools,
      toolOverrides,
      named.tools.map(({ name }) => name),
    );
  }
}

function inTemplate(issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: `callTemplate.${issue.path}` }));
}

/** Settings of a template that only affect outgoing calls. */
const OUTGOING_ONLY = ['answeringMachineDetection', 'ivrNavigation'] as const;

function callRequestOf(
  template: CallTemplate,
  body: StartAgentCallRequest,
  { tools }: ChosenTools,
): StartCallRequest {
  const selectedTools = tools.map(({ tool }) => tool);
  const inherited = {
    ...omit(template, 'name', 'contextSchema', 'selectedTools'),
    ...(selectedTools.length > 0 && { selectedTools }),
  };
  const merged = overlayRequest(
    inherited,
    omit(body, 'templateContext', 'toolOverrides', 'callTemplate', 'agentId'),
  );
  if (isOutgoing(merged.medium)) return merged;
  return omit(merged, ...OUTGOING_ONLY.filter((name) => body[name] === undefined));
}

/** Rewrites paths of the merged request to where the value comes from: the request, or else the template. */
function originsOf(body: StartAgentCallRequest, { tools }: ChosenTools): (issue: Issue) => Issue {
  return (issue) => {
    const [field = '', index = '', ...rest] = issue.path.split('.');
    const tool = field === 'selectedTools' ? tools[Number(index)] : undefined;
    if (tool) return { ...issue, path: [tool.path, ...rest].join('.') };
    return field === '' || field === 'throttle' || Object.hasOwn(body, field)
      ? issue
      : { ...issue, path: `callTemplate.${issue.path}` };
  };
}
