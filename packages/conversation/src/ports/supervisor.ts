import type { SupervisionMode } from '@calls/api-contract/rest/supervision';
import type {
  SupervisionMessage,
  SupervisorMessage,
} from '@calls/api-contract/supervision/supervisor-messages';

/** Why the call no longer serves a supervisor. `interrupted`: the caller is disconnected, or the call moves to another worker. */
export type SupervisionEnd = 'call_ended' | 'interrupted';

/** Why a call rejects a supervisor. `already_joined`: this supervisor is already connected. */
export type SupervisorRejection = 'already_joined' | 'too_many_supervisors';

/** A person who listens to a live call and may step in. */
export interface Supervisor {
  readonly supervisorId: string;
  /** Name for call events; null if unknown. */
  readonly name: string | null;
  readonly mode: SupervisionMode;
  /** Rate of the audio that the supervisor sends. */
  readonly sampleRateHz: number;
  /** See DataConnection.writeAudio. */
  writeAudio(pcm: Uint8Array): void;
  /** Never throws. */
  send(message: SupervisionMessage): void;
  /** Called last. */
  end(reason: SupervisionEnd): void;
}

/** The call as one supervisor sees it. */
export interface SupervisedCall {
  /** Id of the supervisor who speaks in place of the agent at the start; null if the agent speaks. */
  readonly takenOverBy: string | null;
  receive(message: SupervisorMessage): void;
  /** Mono audio for the user. Ignored unless this supervisor has taken the call over. Takes ownership of the array. */
  speak(samples: Int16Array): void;
  /** The supervisor has disconnected. Hands the call back. Idempotent. */
  leave(): void;
}
