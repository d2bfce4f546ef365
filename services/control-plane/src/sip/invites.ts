import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type {
  SipCallerReplyMessage,
  SipCallerRequestMessage,
  SipInviteReplyMessage,
  SipInviteRequestMessage,
  SipRejection,
} from '@calls/api-contract/bus/sip-invites';
import type { SipFallbackHandlerResponse } from '@calls/api-contract/rest/sip';
import type { Bus } from '@calls/bus/bus';
import type { CallSeal } from '@calls/bus/call-seal';
import {
  AgentCallCreator,
  type CreateAgentCallRequest,
} from '@calls/call-lifecycle/creation/agent-call-creator';
import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import type { CreateCallRequest } from '@calls/call-lifecycle/creation/create-call-request';
import { CallRefusal } from '@calls/call-lifecycle/creation/refusal';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { isUniqueViolation } from '@calls/store/store-error';
import { findAgent } from '@calls/store/tables/agents';
import {
  accountOfDomain,
  calledAccount,
  FORBIDDEN,
  NOT_FOUND,
  rejection,
  type CalledAccount,
  type CallerChallenge,
  type CallerRulesDeps,
} from './caller-rules.ts';
import { agentNamed, chooseAgent } from './choose-agent.ts';
import { FallbackHandlers, type FallbackHandlerDeps } from './fallback-handlers.ts';

export interface SipInvitesDeps extends FallbackHandlerDeps, CallerRulesDeps {
  bus: Pick<Bus, 'callChanges'>;
  db: Database;
  creator: CallCreator;
  callSeal: CallSeal;
  log: Logger;
}

const MEDIUM = { sip: { incoming: {} } };
const DECLINED = 603;
const FAILED = rejection(500, 'Server Internal Error');

type ChosenAgent = Pick<CreateAgentCallRequest, 'agentId' | 'found'>;

/** Decides how to handle inbound SIP calls, and creates the calls that answer them. */
export class SipInvites {
  readonly #deps: SipInvitesDeps;
  readonly #agentCalls: AgentCallCreator;
  readonly #fallbackHandlers: FallbackHandlers;

  constructor(deps: SipInvitesDeps) {
    this.#deps = deps;
    this.#agentCalls = new AgentCallCreator({ ...deps, calls: deps.creator });
    this.#fallbackHandlers = new FallbackHandlers(deps);
  }

  /** Returns whether the called account takes the call of a caller. Rejects if a dependency is unavailable. */
  async admit(caller: SipCallerRequestMessage): Promise<SipCallerReplyMessage> {
    const called = await calledAccount(this.#deps, caller);
    if ('kind' in called) return called;
    const { by, trunk } = called;
    return { kind: 'allowed', ...(by === 'credentials' && trunk && { trunkId: trunk.trunk_id }) };
  }

  /** Creates at most one call for an INVITE. Rejects if a dependency is unavailable. */
  async answer(invite: SipInviteRequestMessage): Promise<SipInviteReplyMessage> {
    const { log, sipDomain } = this.#deps;
    const { callId, sourceAddress, to, from } = invite;
    const named = this.#findNamed(invite);
    const called = await calledAccount(this.#deps, invite);
    const accountId = 'kind' in called ? accountOfDomain(invite, sipDomain) : called.account.accountId;
    const reply = 'kind' in called ? rejectionFor(called) : await this.#replyTo(called, invite, named);
    const outcome = reply.kind === 'call' ? 'call' : reply.status;
    const pii = { to: to.uri, from: from.uri, sourceAddress };
    log.info({ accountId, callId, outcome, pii }, 'inbound SIP call received');
    return reply;
  }

  /** Looks up the agent that the INVITE names, while the caller is checked. Null if it names none. */
  #findNamed(invite: SipInviteRequestMessage): ChosenAgent | null {
    const { db, sipDomain } = this.#deps;
    const agentId = agentNamed(invite.to.user);
    const accountId = invite.registrationId === undefined ? accountOfDomain(invite, sipDomain) : null;
    if (agentId === null || accountId === null) return null;
    const found = findAgent(db, accountId, agentId);
    // The result is unused if the call goes to another agent.
    found.catch(() => undefined);
    return { agentId, found };
  }

  async #replyTo(
    called: CalledAccount,
    invite: SipInviteRequestMessage,
    named: ChosenAgent | null,
  ): Promise<SipInviteReplyMessage> {
    const { accountId } = called.account;
    const checks = this.#deps.creator.checksOf(accountId);
    try {
      const agentId = await chooseAgent(called.config, invite.to.user, checks);
      const agent = agentId === named?.agentId ? named : agentId && { agentId };
      const ofAgent = agent ? await this.#agentCall(called, invite, agent, {}) : null;
      return ofAgent ?? (await this.#fallback(called, invite));
    } catch (thrown) {
      const { log } = this.#deps;
      const { callId } = invite;
      // A repeated request did not receive the first response; the call created for it ends as unjoined.
      if (isUniqueViolation(thrown)) return FAILED;
      if (!(thrown instanceof CallRefusal)) throw thrown;
      const { code, issues } = thrown;
      log.warn({ accountId, callId, code, issues }, 'failed to create call for inbound SIP call');
      return rejectionOf(thrown);
    }
  }

  async #fallback(called: CalledAccount, invite: SipInviteRequestMessage): Promise<SipInviteReplyMessage> {
    const { account, config } = called;
    if (!config.fallback_handler) return NOT_FOUND;
    let said: SipFallbackHandlerResponse;
    try {
      said = await this.#fallbackHandlers.request(account.accountId, config.fallback_handler, invite);
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      return this.#failed(called, invite, thrown);
    }
    const { startAgentCall, startCall, reject } = said;
    if (startCall) {
      const body = { ...startCall, medium: MEDIUM };
      const { creator } = this.#deps;
      const request = { account, body, greetingPromptEnabled: true, requestContext: contextOf(invite) };
      const created = await this.#call(called, invite, (given) => creator.create({ ...request, ...given }));
      return created ?? FAILED;
    }
    if (startAgentCall) {
      const { agentId, ...body } = startAgentCall;
      const created = agentId === undefined ? null : await this.#agentCall(called, invite, { agentId }, body);
      const reason = 'startAgentCall.agentId must be an agent of the account';
      return created ?? this.#failed(called, invite, new AppError('fallback_handler_failed', reason));
    }
    return rejection(reject?.sipRejectCode ?? DECLINED, reject?.message ?? 'Decline');
  }

  #failed(
    { account: { accountId } }: CalledAccount,
    { callId }: SipInviteRequestMessage,
    reason: AppError,
  ): SipInviteReplyMessage {
    this.#deps.log.warn({ accountId, callId, err: toError(reason) }, 'SIP fallback handler failed');
    return FAILED;
  }

  /** Null if the account has no such agent. */
  async #agentCall(
    called: CalledAccount,
    invite: SipInviteRequestMessage,
    agent: ChosenAgent,
    said: NonNullable<SipFallbackHandlerResponse['startAgentCall']>,
  ): Promise<SipInviteReplyMessage | null> {
    const request = {
      ...agent,
      account: called.account,
      body: { ...said, medium: MEDIUM },
      requestContext: contextOf(invite),
    };
    return this.#call(called, invite, (given) => this.#agentCalls.create({ ...request, ...given }));
  }

  /** Null if `create` returned no call. */
  async #call(
    { trunk: given }: CalledAccount,
    { callId, to, from }: SipInviteRequestMessage,
    create: (given: Pick<CreateCallRequest, 'callId' | 'invite'>) => Promise<unknown>,
  ): Promise<SipInviteReplyMessage | null> {
    const handed: CreatedCall[] = [];
    const handOver = (created: CreatedCall): void => void handed.push(created);
    const trunk = given && { trunkId: given.trunk_id, codecs: given.codecs };
    await create({ callId, invite: { to: to.uri, from: from.uri, trunk, handOver } });
    const [created] = handed;
    if (!created) return null;
    this.#deps.bus.callChanges.publish({ accountId: created.spec.accountId, callId, state: 'created' });
    return { kind: 'call', created: this.#deps.callSeal.seal(created) };
  }
}

/** The context of the created call. */
function contextOf({ to, from, headers }: SipInviteRequestMessage): unknown {
  return { sip: { to, from, headers } };
}

/** The worker challenges callers before it requests a call. */
function rejectionFor(refused: SipRejection | CallerChallenge): SipRejection {
  return refused.kind === 'challenge' ? FORBIDDEN : refused;
}

/** The SIP response if the call cannot be created. The caller is not authenticated, so it gets no details. */
function rejectionOf({ kind, code }: Pick<CallRefusal, 'kind' | 'code'>): SipRejection {
  switch (kind) {
    case 'limited':
      // The concurrency limit or the rate limit is reached.
      return code === 'concurrency' ? rejection(486, 'Busy Here') : rejection(503, 'Service Unavailable');
    case 'unavailable':
      return rejection(503, 'Service Unavailable');
    case 'payment':
    case 'forbidden':
      return rejection(403, 'Forbidden');
    case 'invalid':
    case 'impossible':
      return rejection(500, 'Server Internal Error');
  }
}
