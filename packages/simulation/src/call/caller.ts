import type { ScriptStep } from '@calls/api-contract/rest/test-scenario';
import { durationToMs } from '@calls/api-contract/duration';
import { containsWords } from '../check/text-match.ts';
import type { AgentWatch } from './agent-watch.ts';

/** The parts of the call that a caller uses. */
export interface CallerCall {
  agent: AgentWatch;
  nowMs(): number;
  isOver(): boolean;
  /** Lets time pass; the caller's audio continues. */
  pass(ms: number): Promise<void>;
  /** Says the line. Resolves when it has been said. */
  speak(line: string): Promise<void>;
  write(line: string): void;
  /** Presses a key of a phone; null for other calls. */
  press: ((digit: string) => void) | null;
  hangUp(): void;
  /** Whether the text fits, see TextMatch. */
  matches(text: string, match: string): Promise<boolean>;
}

/** The caller waits this long after the agent has finished. */
const PAUSE_MS = 400;
/** Time limit for the beginning of a response. */
const RESPONSE_LIMIT_MS = 15_000;
/** Exceeds the longest speech of an agent. */
const SPEECH_LIMIT_MS = 180_000;
const KEY_INTERVAL_MS = 150;
/** Time steps: precise while the caller's timing matters, longer while only the agent is active. */
const STEP_MS = 20;
const LONG_STEP_MS = 100;

/** Waits for responses and carries out the steps of a script. */
export class Caller {
  readonly #call: CallerCall;
  /** Whether a response of the agent is due. */
  #isDue: boolean;

  constructor(call: CallerCall, agentSpeaksFirst: boolean) {
    this.#call = call;
    this.#isDue = agentSpeaksFirst;
  }

  /** Runs the steps. Returns the reason if the script cannot continue; null if it has ended. */
  async run(steps: readonly ScriptStep[]): Promise<string | null> {
    for (const [index, step] of steps.entries()) {
      const problem = await this.#step(step);
      if (problem !== null) return `step ${index + 1} of the script: ${problem}`;
    }
    return null;
  }

  /** Waits until the agent has finished its response. */
  async listen(): Promise<void> {
    const { agent } = this.#call;
    if (this.#isDue) await this.#until(() => agent.responded, RESPONSE_LIMIT_MS, STEP_MS);
    this.#isDue = false;
    await this.#until(() => agent.silentForMs(this.#call.nowMs()) >= PAUSE_MS, SPEECH_LIMIT_MS, LONG_STEP_MS);
  }

  async say(line: string): Promise<void> {
    await this.#call.speak(line);
    this.#startTurn();
  }

  #startTurn(): void {
    this.#call.agent.startTurn();
    this.#isDue = true;
  }

  async #step(step: ScriptStep): Promise<string | null> {
    const call = this.#call;
    const { agent } = call;
    if (step.interrupt) {
      const { after, say } = step.interrupt;
      const said = (): boolean => containsWords(agent.response, after);
      await this.#until(() => said() || this.#hasFinished(), SPEECH_LIMIT_MS, STEP_MS);
      if (!said()) return `the agent did not say "${after}" but "${agent.response}"`;
      if (call.isOver()) return ended(`say "${say}"`);
      await this.say(say);
      return null;
    }
    await this.listen();
    if (step.agentSays !== undefined) {
      const fits = await call.matches(agent.response, step.agentSays);
      return fits ? null : `the agent did not say "${step.agentSays}" but "${agent.response}"`;
    }
    if (step.hangUp) {
      call.hangUp();
      return null;
    }
    if (call.isOver()) return ended(JSON.stringify(step));
    if (step.say !== undefined) await this.say(step.say);
    if (step.silence !== undefined) {
      this.#startTurn();
      this.#isDue = false;
      await this.#pass(durationToMs(step.silence));
    }
    if (step.press !== undefined) {
      if (!call.press) return 'only phone calls have keys; set call.medium to phone';
      for (const digit of step.press) {
        call.press(digit);
        await call.pass(KEY_INTERVAL_MS);
      }
      this.#startTurn();
    }
    if (step.type !== undefined) {
      this.#startTurn();
      call.write(step.type);
    }
    return null;
  }

  #hasFinished(): boolean {
    const { agent } = this.#call;
    return agent.responded && agent.silentForMs(this.#call.nowMs()) >= PAUSE_MS;
  }

  /** Lets time pass, in long steps. */
  async #pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0 && !this.#call.isOver(); leftMs -= LONG_STEP_MS)
      await this.#call.pass(Math.min(leftMs, LONG_STEP_MS));
  }

  async #until(isTrue: () => boolean, limitMs: number, stepMs: number): Promise<void> {
    const endMs = this.#call.nowMs() + limitMs;
    while (!isTrue() && !this.#call.isOver() && this.#call.nowMs() < endMs) await this.#call.pass(stepMs);
  }
}

function ended(step: string): string {
  return `the call ended before the caller could ${step}`;
}
