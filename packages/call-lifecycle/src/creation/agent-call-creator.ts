import { StartCallRequest, type StartAgentCallRequest } from '@calls/api-contract/rest/call';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { compileValidator, type Fault } from '@calls/api-contract/validation/validator';
import { omit } from '@calls/foundation/omit';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findAgent, type AgentRow } from '@calls/store/tables/agents';
import type { CallRow } from '@calls/store/tables/calls';
import type { CallCreator } from './call-creator.ts';
import type { CallOrder } from './call-order.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { overlayRequest } from './templates/overlay-request.ts';
import { overrideTools, type ChosenTools } from './templates/override-tools.ts';
import { contextFaults, renderTemplate } from './templates/render-template.ts';
import { openTemplate } from './templates/template-secrets.ts';
import { resolveTools } from './tools/resolve-tools.ts';

export interface AgentCallOrder extends Pick<
  CallOrder,
  'account' | 'throttle' | 'requestContext' | 'scheduledBatchId' | 'fromConsole' | 'alongside' | 'invite'
> {
  agentId: string;
  /** Fits its schema. */
  request: StartAgentCallRequest;
}

const callRequest = compileValidator('call', StartCallRequest);

/** Creates calls of agents: what their templates make of a request's context, with the request's own settings over it. */
export class AgentCallCreator {
  readonly #db: Database;
  readonly #secretBox: SecretBox;
  readonly #calls: CallCreator;

  constructor(parts: { db: Database; secretBox: SecretBox; calls: CallCreator }) {
    this.#db = parts.db;
    this.#secretBox = parts.secretBox;
    this.#calls = parts.calls;
  }

  /**
   * Null where the account has no such agent. Throws a CallRefusal as CallCreator does; the paths of its faults that are the
   * template's begin with `callTemplate`.
   */
  async create(order: AgentCallOrder): Promise<CallRow | null> {
    const { agentId, request, ...rest } = order;
    const { accountId } = order.account;
    const agent = await findAgent(this.#db, accountId, agentId);
    if (!agent) return null;
    if (request.agentId !== undefined && request.agentId.toLowerCase() !== agent.agent_id) {
      throw invalidCall([
        { path: 'agentId', message: 'must be the agent whose call this is, or be left out' },
      ]);
    }
    const template = await this.#render(accountId, agent, request.templateContext ?? {});
    const chosen = await this.#chooseTools(accountId, template, request);
    const merged = callRequestOf(template, request, chosen);
    const whereWas = originsOf(request, chosen);
    const faults = [...chosen.faults, ...callRequest.faults(merged).map(whereWas)];
    if (faults.length > 0) throw invalidCall(faults);
    try {
      return await this.#calls.create({
        ...rest,
        request: merged,
        greetingPromptEnabled: true,
        agent: { agentId: agent.agent_id, revisionId: agent.published_revision_id, name: agent.name },
      });
    } catch (thrown) {
      if (thrown instanceof CallRefusal && thrown.kind === 'invalid') {
        throw invalidCall(thrown.faults.map(whereWas));
      }
      throw thrown;
    }
  }

  async #render(accountId: string, agent: AgentRow, context: Record<string, unknown>): Promise<CallTemplate> {
    if (!agent.template) return {};
    const template = openTemplate(this.#secretBox, accountId, agent.template);
    const checks = this.#calls.checksOf(accountId);
    const [unfit = []] = await contextFaults(template, [context], checks);
    if (unfit.length > 0) throw invalidCall(unfit);
    const rendered = renderTemplate(template, context);
    if ('faults' in rendered) {
      throw invalidCall(rendered.faults.map((fault) => ({ ...fault, path: `callTemplate.${fault.path}` })));
    }
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
    // Only their names are asked for here; whether their URLs are allowed is the call's question.
    const checks = this.#calls.checksOf(accountId);
    const selection = { accountId, selectedTools, path, urlRule: () => null, checks };
    const named = await resolveTools(this.#db, selection);
    if (!named.tools) throw invalidCall(named.faults);
    return overrideTools(
      selectedTools,
      toolOverrides,
      named.tools.map(({ name }) => name),
    );
  }
}

function callRequestOf(
  template: CallTemplate,
  request: StartAgentCallRequest,
  { tools }: ChosenTools,
): StartCallRequest {
  const selectedTools = tools.map(({ tool }) => tool);
  const inherited = {
    ...omit(template, 'name', 'contextSchema', 'selectedTools'),
    ...(selectedTools.length > 0 && { selectedTools }),
  };
  return overlayRequest(inherited, omit(request, 'templateContext', 'toolOverrides', 'agentId'));
}

/** Faults of the whole request by where they come from: what the request doesn't name is the template's. */
function originsOf(request: StartAgentCallRequest, { tools }: ChosenTools): (fault: Fault) => Fault {
  return (fault) => {
    const [field = '', index = '', ...rest] = fault.path.split('.');
    const tool = field === 'selectedTools' ? tools[Number(index)] : undefined;
    if (tool) return { ...fault, path: [tool.path, ...rest].join('.') };
    return field === '' || field === 'throttle' || Object.hasOwn(request, field)
      ? fault
      : { ...fault, path: `callTemplate.${fault.path}` };
  };
}
