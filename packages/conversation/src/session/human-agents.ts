import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { SupervisedCall, Supervisor, SupervisorRejection } from '../ports/supervisor.ts';
import type { TransferReport } from '../transfer/warm-transfer-machine.ts';
import type { TurnState } from '../turn/turn-types.ts';
import { Supervision, type SupervisionDeps } from './supervision.ts';
import { WarmTransfers } from './warm-transfers.ts';

export interface HumanAgentsDeps extends Omit<SupervisionDeps, 'isTransferring'> {
  /** Rate of the user's audio. */
  userRateHz: number;
}

/** The people who can speak to the user in place of the agent: supervisors, and the target of a warm transfer. */
export class HumanAgents {
  readonly #supervision: Supervision;
  readonly #transfers: WarmTransfers;

  constructor(deps: HumanAgentsDeps) {
    const isTransferring = (): boolean => this.#transfers.isUnderWay;
    this.#supervision = new Supervision({ ...deps, isTransferring });
    this.#transfers = new WarmTransfers({ ...deps, isTakenOver: () => this.#supervision.isTakenOver });
  }

  supervise(supervisor: Supervisor): SupervisedCall | SupervisorRejection {
    return this.#supervision.add(supervisor);
  }

  /** See WarmTransfers. */
  transfer(parameters: Readonly<Record<string, unknown>>): Promise<TransferReport | string> {
    return this.#transfers.run(parameters);
  }

  /** Passes a message on to those who may see it. */
  send(message: ServerMessage): void {
    this.#supervision.send(message);
    if (message.type === 'transcript' && message.role === 'user' && message.final && message.text)
      this.#transfers.onUserWords(message.text);
  }

  /** The agent's audio as it is sent to the user. Does not retain it. */
  pushAgentAudio(samples: Int16Array): void {
    this.#transfers.pushAgentAudio(samples);
  }

  /** The user's audio as it arrives. Does not retain it. */
  pushUserAudio(samples: Int16Array): void {
    this.#transfers.pushUserAudio(samples);
  }

  /** Called with the state of the turn engine on each of its effects. */
  onTurn(state: TurnState): void {
    this.#transfers.onTurn(state);
  }

  /** The call has ended. Resolves when everything said is in the history. */
  async finish(): Promise<void> {
    await Promise.all([this.#supervision.finish(), this.#transfers.end()]);
  }

  /** The call continues in another session, without them. */
  interrupt(): void {
    this.#supervision.interrupt();
    this.#transfers.interrupt();
  }
}
