/** How a caller of a drill is connected. `phone`: through a telephony provider. */
export const DRILL_MEDIA = ['websocket', 'webrtc', 'phone', 'sip'] as const;
export type DrillMedium = (typeof DRILL_MEDIA)[number];

/** A caller with one call. It reconnects as its medium does when the connection is lost. */
export interface DrillCaller {
  readonly callId: string;
  readonly medium: DrillMedium;
  readonly agent: AgentAudio;
  /** Why the caller's side of the call is over, unless by `hangUp`; null while it is not. */
  readonly lost: string | null;
  hangUp(): Promise<void>;
}

/** Time from the loss of a process to the next audible audio; `unaffected`: there was no gap; `silent`: none yet. */
export type AfterLoss = number | 'unaffected' | 'silent';

interface Loss {
  atMs: number;
  /** The connection was lost or has moved. */
  movedMs: number | null;
  /** Of the last audible audio before the first gap. */
  lastMs: number;
  /** The first audible audio after it. */
  againMs: number | null;
}

/** Audible audio comes every 20 ms. */
const GAP_MS = 200;
/** An agent that was silent for longer waited for the caller: no loss takes so long. */
const WAITING_MS = 5000;
/** A later gap is the end of what the agent says. */
const AFFECTED_WITHIN_MS = 1500;

/** Measures for how long the agent was silent whenever the call moved to another connection. */
export class AgentAudio {
  /** One for each move after which the agent was audible again. */
  readonly silences: { durationMs: number; endedAt: Date }[] = [];
  /** From the last audio before the move, or from the move if the agent was silent then. */
  #silentSinceMs: number | null = null;
  #audibleMs: number | null = null;
  #loss: Loss | null = null;

  /** Whether the agent has been audible, also since the last move. */
  get isAudible(): boolean {
    return this.#audibleMs !== null && this.#silentSinceMs === null;
  }

  /** Waits for the next audible audio. */
  restart(): void {
    this.#audibleMs = null;
  }

  /** A process is lost now, while the agent speaks. */
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

  /** Time from the loss until the caller's connection was lost or has moved; null if it was not. */
  get movedAfterLossMs(): number | null {
    const { atMs = 0, movedMs = null } = this.#loss ?? {};
    return movedMs && movedMs - atMs;
  }

  get #hasJustSpoken(): boolean {
    return this.#audibleMs !== null && performance.now() - this.#audibleMs < WAITING_MS;
  }

  /** Audible audio arrived. */
  audible(): void {
    const nowMs = performance.now();
    if (this.#loss) noteAudible(this.#loss, nowMs);
    if (this.#silentSinceMs !== null)
      this.silences.push({ durationMs: nowMs - this.#silentSinceMs, endedAt: new Date() });
    this.#silentSinceMs = null;
    this.#audibleMs = nowMs;
  }

  /** The connection was lost or has moved. Without `wasSpeaking`, the last words tell whether the agent spoke. */
  moved(wasSpeaking = this.#hasJustSpoken): void {
    const nowMs = performance.now();
    if (this.#loss) this.#loss.movedMs ??= nowMs;
    this.#silentSinceMs ??= wasSpeaking ? (this.#audibleMs ?? nowMs) : nowMs;
  }
}

function noteAudible(loss: Loss, nowMs: number): void {
  if (loss.againMs !== null || loss.lastMs - loss.atMs >= AFFECTED_WITHIN_MS) return;
  if (nowMs - loss.lastMs >= GAP_MS) loss.againMs = nowMs;
  else loss.lastMs = nowMs;
}
