import {
  warmTransferParametersValidator,
  type WarmTransferParameters,
} from '@calls/api-contract/rest/warm-transfer';
import { toError } from '@calls/foundation/errors';
import type { TurnState } from '../turn/turn-types.ts';
import { NO_TARGET, isAllowedTarget, transferTarget } from '../tools/transfer-target.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallAudioTap } from './call-audio-tap.ts';
import type { CallContext } from './call-context.ts';
import type { TransferReport } from '../transfer/warm-transfer-machine.ts';
import { WarmTransfer } from './warm-transfer.ts';

/** Maximum number of transfers per call. */
const MAX_TRANSFERS = 20;

export interface WarmTransfersDeps {
  context: CallContext;
  agent: AgentSide;
  sound: CallAudioTap;
  /** Rate of the user's audio. */
  userRateHz: number;
  turn: () => TurnState;
  /** Whether a supervisor speaks in place of the agent. */
  isTakenOver: () => boolean;
  /** The user is about to be put on hold. */
  onTakeover: () => void;
  /** The user hears music or the person. */
  onAudio: (samples: Int16Array, startMs: number) => void;
}

/** The warm transfers of one call, one at a time. */
export class WarmTransfers {
  readonly #deps: WarmTransfersDeps;
  #current: WarmTransfer | null = null;
  #count = 0;

  constructor(deps: WarmTransfersDeps) {
    this.#deps = deps;
  }

  /** Whether the user waits for a person or talks with one. */
  get isUnderWay(): boolean {
    return this.#current !== null;
  }

  /**
   * Runs a transfer to its end; returns a text if it cannot begin. The agent is muted meanwhile, and the caller must
   * unmute it with the reason `transfer`. Never rejects.
   */
  async run(given: Readonly<Record<string, unknown>>): Promise<TransferReport | string> {
    const parameters = parsed(given);
    if (typeof parameters === 'string') return parameters;
    const { context, agent, sound, userRateHz, turn, isTakenOver, onAudio } = this.#deps;
    if (this.#current) return 'another transfer is under way';
    if (isTakenOver()) return 'a supervisor has the call';
    if (this.#count >= MAX_TRANSFERS) return `the call had ${MAX_TRANSFERS} transfers`;
    this.#deps.onTakeover();
    context.dispatch({ type: 'agent_muted', reason: 'transfer' });
    if (turn().kind !== 'muted') return 'the call is ending';
    this.#count += 1;
    const transfer = new WarmTransfer({
      context,
      agent,
      parameters,
      userRateHz,
      onFrame: (samples, startMs) => {
        onAudio(samples, startMs);
        sound.writeOtherAudio(samples, startMs);
      },
    });
    this.#current = transfer;
    const report = await transfer.ended;
    this.#current = null;
    return report;
  }

  /** The user's audio as it arrives. Does not retain it. */
  pushUserAudio(samples: Int16Array): void {
    this.#current?.pushUserAudio(samples);
  }

  /** The agent's audio as it is sent to the user. Does not retain it. */
  pushAgentAudio(samples: Int16Array): void {
    this.#current?.pushAgentAudio(samples);
  }

  /** The user said something. */
  onUserWords(text: string): void {
    this.#current?.onUserWords(text);
  }

  /** See WarmTransfer. */
  onTurn(state: TurnState): void {
    this.#current?.onTurn(state);
  }

  /** The call ends. Resolves when everything said is in the history. */
  async end(): Promise<void> {
    await this.#current?.end();
  }

  /** The call continues in another session, without the person. */
  interrupt(): void {
    this.#current?.interrupt();
  }
}

function parsed(given: Readonly<Record<string, unknown>>): WarmTransferParameters | string {
  try {
    const parameters = warmTransferParametersValidator.parse(given);
    const target = transferTarget(parameters.target);
    if (target === null) return NO_TARGET;
    const { allowed_targets: allowed } = parameters;
    if (allowed && !isAllowedTarget(target, allowed))
      return `target must match one of: ${allowed.join(', ')}`;
    return { ...parameters, target };
  } catch (thrown) {
    return toError(thrown).message;
  }
}
