/** Media of the callers of a drill. `phone`: through a telephony provider. */
export const DRILL_MEDIA = ['websocket', 'webrtc', 'phone', 'sip'] as const;
export type DrillMedium = (typeof DRILL_MEDIA)[number];

/** A caller with one call. It reconnects as its medium does when the connection is lost. */
export interface DrillCaller {
  readonly callId: string;
  readonly medium: DrillMedium;
  readonly agent: AgentAudio;
  /** Why the caller's connection has ended, unless by `hangUp`; null while it is open. */
  readonly lost: string | null;
  hangUp(): Promise<void>;
}

/** Time from the loss of a process to the next audible audio. `unaffected`: no gap; `silent`: no audio yet. */
export type AfterLoss = number | 'unaffected' | 'silent';

interface Loss {
  atMs: number;
  /** Time at which the connection was lost or moved. */
  movedMs: number | null;
  /** Time of the last audible audio before the first gap. */
  lastMs: number;
  /** Time of the first audible audio after the gap. */
  againMs: number | null;
}

/** A longer time without audible audio is a gap. Audible audio arrives every 20 ms. */
const GAP_MS = 200;
/** An agent that was silent for longer was waiting for the caller. No loss causes such a long gap. */
const WAITING_MS = 5000;
/** A gap that starts later after the loss is the end of the agent's response. */
const AFFECTED_WITHIN_MS = 1500;

/** Measures how long the agent is silent whenever the call moves to another connection. */
export class AgentAudio {
  /** One duration for each move during a response. */
  readonly silences: { durationMs: number; endedAt: Date }[] = [];
  /** Number of moves after which the agent was audible again. */
  moves = 0;
  /** Whether the call has moved since the last audible audio. */
  #hasMoved = false;
  /** Time of the last audio before a move during a response; null if the agent was waiting for the caller. */
  #silentSinceMs: number | null = null;
  #audibleMs: number | null = null;
  #loss: Loss | null = null;

  /** Whether the agent has been audible, also since the last move. */
  get isAudible(): boolean {
    return this.#audibleMs !== null && !this.#hasMoved;
  }

  /** Resets the measurement until the next audible audio. */
  restart(): void {
    this.#audibleMs = null;
  }

  /** Records that a process is lost now, while the agent speaks. */
  begin(): void {
    const nowMs = performance.now();
    this.#loss = { atMs: nowMs, movedMs: null, lastMs: nowMs, againMs: null };
  }

  /** How the loss affected the agent. */
  get afterLoss(): AfterLoss {
    if (!this.#loss) return 'unaffected';
    const { atMs, lastMs, againMs } = this.#loss;
    if (againMs !== null) return againMs - atMs;
    return lastMs - atMs < AFFECTED_WITHIN_MS ? 'silent' : 'unaffected';
  }

  /** Time from the loss until the caller's connection was lost or moved; null if neither happened. */
  get movedAfterLossMs(): number | null {
    const { atMs = 0, movedMs = null } = this.#loss ?? {};
    return movedMs && movedMs - atMs;
  }

  get #hasJustSpoken(): boolean {
    return this.#audibleMs !== null && performance.now() - this.#audibleMs < WAITING_MS;
  }

  /** Records that audible audio has arrived. */
  audible(): void {
    const nowMs = performance.now();
    if (this.#loss) noteAudible(this.#loss, nowMs);
    if (this.#silentSinceMs !== null)
      this.silences.push({ durationMs: nowMs - this.#silentSinceMs, endedAt: new Date() });
    this.#silentSinceMs = null;
    if (this.#hasMoved) this.moves += 1;
    this.#hasMoved = false;
    this.#audibleMs = nowMs;
  }

  /** Records that the connection was lost or moved. `wasSpeaking` is derived from the last audio by default. */
  moved(wasSpeaking = this.#hasJustSpoken): void {
    const nowMs = performance.now();
    if (this.#loss) this.#loss.movedMs ??= nowMs;
    if (wasSpeaking && !this.#hasMoved) this.#silentSinceMs = this.#audibleMs ?? nowMs;
    this.#hasMoved = true;
  }
}

function noteAudible(loss: Loss, nowMs: number): void {
  if (loss.againMs !== null || loss.lastMs - loss.atMs >= AFFECTED_WITHIN_MS) return;
  if (nowMs - loss.lastMs >= GAP_MS) loss.againMs = nowMs;
  else loss.lastMs = nowMs;
}
