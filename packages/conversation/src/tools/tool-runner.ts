import type { CallToolSpec, StageSpec } from '@calls/api-contract/call-spec';
import { normalizeNewStage } from '@calls/api-contract/rest/call-records';
import type { Message } from '@calls/api-contract/rest/message';
import { toolKind, toolTimeoutMs } from '@calls/api-contract/rest/tool';
import type { ModelToolCall } from '@calls/engine-ports/language-model';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import type { ToolServices } from '../ports/tools.ts';
import { automaticParameterValues, type AutomaticParameterContext } from './automatic-parameters.ts';
import type { BuiltInContext } from './built-in-context.ts';
import { runBuiltIn } from './built-ins.ts';
import type { StageState } from './call-state.ts';
import { toolHttpRequest } from './http-request.ts';
import type { RemoteInvocations, RemoteSide } from './remote-invocations.ts';
import { McpTools } from './mcp-tools.ts';
import { parseObject } from './parse-object.ts';
import { interruptionOf, type Interruption } from './tool-interruption.ts';
import { argumentIssues } from './tool-arguments.ts';
import { toolSucceeded, toolFailed, type ToolOutcome } from './tool-outcome.ts';
import { defaultReactionOf, httpToolResponse, NEW_STAGE_NOTE, type ToolResponse } from './tool-response.ts';
import { RecentRetrieval, searchesEveryTurn } from './turn-retrieval.ts';

/** Facts that do not change during the call. */
export interface ToolCallFacts {
  callId: string;
  accountId: string;
  metadata: Readonly<Record<string, string>>;
  sharedSecrets: readonly string[];
  outputSampleRateHz: number;
  /** See BuiltInContext. */
  canTransfer: boolean;
  /** Latest possible end of the call, in wall time. */
  endsAtMs: number;
}

/** The current state of the conversation. */
export interface ToolConversation {
  /** Whether the agent responds by voice now. */
  hasVoiceOutput(): boolean;
  stage(): { spec: StageSpec; state: StageState };
  messages(): readonly Message[];
}

/** Actions on the remote party, the client and the data connection, and warnings to the tool's owner. */
export interface ToolPeers {
  /** See CallContext. */
  transfer: ((target: string) => Promise<boolean>) | null;
  /** See CallContext. */
  warmTransfer: BuiltInContext['warmTransfer'];
  /** See CallContext. */
  sendDigits: ((digits: string) => boolean) | null;
  /** See BuiltInContext. */
  untilSilent: BuiltInContext['untilSilent'];
  /** See BuiltInContext. */
  waitForPrompt: BuiltInContext['waitForPrompt'];
  /** Sends an invocation to the client or the data connection. */
  invoke(side: RemoteSide, call: { toolName: string; invocationId: string; parameters: Parameters }): void;
  /** Reports a problem to the tool's owner. */
  warn(call: ModelToolCall, problem: string): void;
}

export interface ToolRunnerOptions {
  call: ToolCallFacts;
  conversation: ToolConversation;
  peers: ToolPeers;
  services: ToolServices;
  remote: RemoteInvocations;
  clock: Clock;
}

type Parameters = Readonly<Record<string, unknown>>;

/** Runs the tools of a call. A tool's error is an outcome like any other. */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #mcpTools: McpTools;
  readonly #recentRetrieval: RecentRetrieval;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
    this.#mcpTools = new McpTools(options.call, options.services);
    this.#recentRetrieval = new RecentRetrieval(options.services.corpora, options.clock);
    // Only a tool begins a stage, so a call without tools never gets any.
    if (options.conversation.stage().spec.tools.length > 0) options.services.prepareArgumentChecks();
  }

  /**
   * Whether the tool may run before the response is committed: it is marked precomputable and has no effect on
   * client or data connection.
   */
  isPrecomputable(name: string): boolean {
    const tool = this.#find(name);
    return (
      tool?.definition.precomputable === true &&
      (tool.definition.http !== undefined || tool.definition.mcp !== undefined || tool.builtIn !== null)
    );
  }

  /**
   * Whether the tool affects the remote party immediately, so that the earlier words of the agent must be played first.
   */
  runsAfterSpeech(name: string): boolean {
    const { transfer, sendDigits } = this.#options.peers;
    const builtIn = this.#find(name)?.builtIn;
    return (
      builtIn === 'warmTransfer' ||
      (builtIn === 'coldTransfer' && transfer !== null) ||
      (builtIn === 'playDtmfSounds' && sendDigits !== null)
    );
  }

  /** See GenerationTools. */
  interruptionOf(name: string): Interruption | null {
    const { definition } = this.#find(name) ?? {};
    return definition ? interruptionOf(definition, this.#options.conversation.stage().spec.tools) : null;
  }

  /** Rejects only with the signal's reason when it aborts. `tool`: by default, the one of the stage. */
  async run(
    call: ModelToolCall,
    signal: AbortSignal,
    tool: CallToolSpec | undefined = this.#find(call.name),
  ): Promise<ToolOutcome> {
    if (!tool) {
      return toolFailed(`unknown tool ${call.name}`, 'speaks', { type: 'undefined' });
    }
    const parameters = await this.#parameters(tool, call);
    signal.throwIfAborted();
    if (typeof parameters === 'string') return toolFailed(parameters, 'speaks');
    const { definition } = tool;
    const { staticResponse } = definition;
    const running = this.#run(tool, call, parameters, signal);
    if (!staticResponse) return running;
    // The result is not used; errors are reported to the tool's owner only.
    running.then(
      ({ error }) => error && this.#options.peers.warn(call, error.details),
      () => undefined,
    );
    return toolSucceeded(staticResponse.responseText ?? '', defaultReactionOf(definition));
  }

  #find(name: string): CallToolSpec | undefined {
    return this.#options.conversation.stage().spec.tools.find((tool) => tool.name === name);
  }

  /** Returns all parameters except secrets, or what is wrong with the model's arguments. */
  async #parameters({ definition }: CallToolSpec, call: ModelToolCall): Promise<Parameters | string> {
    const chosen = parseArguments(call.arguments);
    if (!chosen) return 'the arguments must be a JSON object';
    const problem = await this.#argumentProblem(definition, chosen);
    if (problem !== null) return problem;
    const fixed = (definition.staticParameters ?? []).map(({ name, value }): [string, unknown] => [
      name,
      value,
    ]);
    const known = automaticParameterValues(definition.automaticParameters ?? [], this.#facts());
    return { ...chosen, ...Object.fromEntries(fixed), ...known };
  }

  async #argumentProblem(
    { dynamicParameters }: CallToolSpec['definition'],
    chosen: Parameters,
  ): Promise<string | null> {
    const { call, services } = this.#options;
    try {
      const issues = await argumentIssues(
        services.argumentChecksFor(call.accountId),
        dynamicParameters,
        chosen,
      );
      if (issues.length === 0) return null;
      return `invalid arguments: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`;
    } catch (thrown) {
      return `failed to validate the arguments: ${toError(thrown).message}`;
    }
  }

  #facts(): AutomaticParameterContext {
    const { conversation } = this.#options;
    const { callId, metadata, outputSampleRateHz } = this.#options.call;
    const { spec, state } = conversation.stage();
    const facts = { callId, metadata, outputSampleRateHz, stageId: spec.stageId, state: state.value };
    return { ...facts, messages: conversation.messages() };
  }

  async #run(
    tool: CallToolSpec,
    call: ModelToolCall,
    parameters: Parameters,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { definition, builtIn } = tool;
    const reaction = defaultReactionOf(definition);
    const timeoutMs = toolTimeoutMs(definition);
    try {
      if (builtIn) {
        const { conversation, services, clock } = this.#options;
        const { accountId, outputSampleRateHz, canTransfer } = this.#options.call;
        const hasVoiceOutput = conversation.hasVoiceOutput();
        const medium = { outputSampleRateHz, hasVoiceOutput, canTransfer };
        const { transfer, warmTransfer, sendDigits, untilSilent, waitForPrompt } = this.#options.peers;
        const context = {
          accountId,
          ...medium,
          transfer,
          warmTransfer,
          sendDigits,
          untilSilent,
          waitForPrompt,
          corpora: searchesEveryTurn(tool) ? this.#recentRetrieval : services.corpora,
          clock,
          timeoutMs,
        };
        return await runBuiltIn(builtIn, parameters, { ...context, reaction, signal });
      }
      const response = await this.#request(tool, call, parameters, timeoutMs, signal);
      return await this.#outcome(tool, response, signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return toolFailed(toError(thrown).message, reaction);
    }
  }

  async #request(
    tool: CallToolSpec,
    call: ModelToolCall,
    parameters: Parameters,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ToolResponse> {
    const kind = toolKind(tool.definition);
    const { remote, peers } = this.#options;
    switch (kind) {
      case 'http':
        return this.#requestHttp(tool, call, parameters, timeoutMs, signal);
      case 'mcp':
        return this.#reported(call, await this.#mcpTools.call(tool, parameters, { timeoutMs, signal }));
      case 'client':
      case 'dataConnection':
        return remote.invoke(call.id, kind, timeoutMs, () =>
          peers.invoke(kind, { toolName: call.name, invocationId: call.id, parameters }),
        );
      case undefined:
        throw new Error(`tool ${call.name} has no implementation`);
    }
  }

  async #requestHttp(
    { definition, auth }: CallToolSpec,
    call: ModelToolCall,
    parameters: Parameters,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ToolResponse> {
    const { services } = this.#options;
    const { callId, accountId, endsAtMs, sharedSecrets } = this.#options.call;
    const request = toolHttpRequest(definition, parameters, auth);
    const scopes = definition.http?.callTokenScopes;
    const headers = {
      ...request.headers,
      ...(scopes && {
        'X-Svc-Call-Token': services.callTokens.issue({ accountId, callId, scopes, expiresAtMs: endsAtMs }),
      }),
      ...services.signatureHeaders(callId, sharedSecrets),
    };
    const sent = services.http.send({ ...request, headers }, { accountId, timeoutMs, signal });
    return this.#reported(call, httpToolResponse(await sent));
  }

  #reported(call: ModelToolCall, response: ToolResponse & { issues: readonly string[] }): ToolResponse {
    for (const issue of response.issues) this.#options.peers.warn(call, issue);
    return response;
  }

  /** Ends the sessions with MCP servers, and searches of corpora. */
  close(): void {
    this.#mcpTools.close();
    this.#recentRetrieval.close();
  }

  async #outcome(tool: CallToolSpec, response: ToolResponse, signal: AbortSignal): Promise<ToolOutcome> {
    const { responseType, error, updateCallState } = response;
    const reaction = response.reaction ?? defaultReactionOf(tool.definition);
    if (error) return { ...toolFailed(error.message, reaction, error), updateCallState };
    const outcome = { ...toolSucceeded(response.result, reaction), updateCallState };
    switch (responseType) {
      case 'tool-response':
        return outcome;
      case 'hang-up':
        return { ...outcome, action: { kind: 'hang_up', unlessAnswered: false } };
      case 'new-stage':
        return {
          ...outcome,
          text: NEW_STAGE_NOTE,
          action: await this.#newStage(response.result, signal),
        };
    }
  }

  async #newStage(result: string, signal: AbortSignal) {
    const { conversation, services } = this.#options;
    const { accountId, callId } = this.#options.call;
    const given = parseArguments(result);
    if (!given) throw new Error('the new stage must be a JSON object');
    const { value, issues } = normalizeNewStage(given);
    const [issue] = issues;
    if (issue) throw new Error(`${issue.path} of the new stage ${issue.message}`);
    const body = value as Record<string, unknown>;
    const resolved = await services.stages.resolve(
      {
        accountId,
        callId,
        currentStageId: conversation.stage().spec.stageId,
        stageId: newId(),
        body,
        carriedMessages: conversation.messages().length,
      },
      signal,
    );
    const keeps = {
      history: body['initialMessages'] === undefined,
      state: body['initialState'] === undefined,
    };
    return { kind: 'new_stage', stage: resolved, keeps } as const;
  }
}

/** Null if it is not a JSON object. Models may omit the arguments of tools without parameters. */
function parseArguments(text: string): Record<string, unknown> | null {
  return text.trim() === '' ? {} : parseObject(text);
}
