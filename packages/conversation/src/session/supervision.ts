import type { SupervisionEvent } from '@calls/api-contract/bus/call-log-entry';
import { SUPERVISION_MODES, type SupervisionMode } from '@calls/api-contract/rest/supervision';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type {
  RefusalReason,
  SupervisionMessage,
  SupervisorMessage,
} from '@calls/api-contract/supervision/supervisor-messages';
import { TokenBucket } from '@calls/foundation/token-bucket';
import type { SupervisedCall, SupervisionEnd, Supervisor, SupervisorRejection } from '../ports/supervisor.ts';
import type { TurnState } from '../turn/turn-types.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallAudioTap, SupervisorAudio } from './call-audio-tap.ts';
import type { CallContext } from './call-context.ts';
import { codeOf } from './call-events.ts';
import { Takeover } from './takeover.ts';

/** Supervisors of one call at the same time. */
export const MAX_SUPERVISORS = 4;
/** Rate limit for messages of one supervisor that change the call. */
const COMMANDS = { burst: 20, perSecond: 1 };

const HANDED_BACK =
  'You have the call again. A human colleague has spoken with the user in your place; your newest messages are what the colleague said. Continue from there.';

export interface SupervisionDeps {
  context: CallContext;
  agent: AgentSide;
  sound: CallAudioTap;
  turn: () => TurnState;
  /** Called with audio of a supervisor that the user hears. */
  onAudio: (samples: Int16Array, startMs: number) => void;
  /** Whether a warm transfer is under way. */
  isTransferring: () => boolean;
  /** Called when a person is about to take the call over. */
  onTakeover: () => void;
}

interface Member {
  supervisor: Supervisor;
  audio: SupervisorAudio;
  joinedMs: number;
  commands: TokenBucket;
}

/** The supervisors of one call. At most one of them speaks in place of the agent. */
export class Supervision {
  readonly #deps: SupervisionDeps;
  readonly #members = new Set<Member>();
  #takeover: { by: Member; voice: Takeover } | null = null;

  constructor(deps: SupervisionDeps) {
    this.#deps = deps;
  }

  add(supervisor: Supervisor): SupervisedCall | SupervisorRejection {
    const { supervisorId } = supervisor;
    if ([...this.#members].some((each) => each.supervisor.supervisorId === supervisorId))
      return 'already_joined';
    if (this.#members.size >= MAX_SUPERVISORS) return 'too_many_supervisors';
    const { sound, context } = this.#deps;
    const nowMs = context.services.clock.nowMs();
    const audio = sound.addSupervisor((pcm) => supervisor.writeAudio(pcm));
    const member = { supervisor, audio, joinedMs: nowMs, commands: new TokenBucket(COMMANDS, nowMs) };
    this.#members.add(member);
    this.#record(member, 'supervisor_joined', 'A supervisor listens to the call.', { mode: supervisor.mode });
    return {
      takenOverBy: this.#takeover?.by.supervisor.supervisorId ?? null,
      receive: (message) => this.#receive(member, message),
      speak: (samples) => {
        // The agent may say its last words, for example at the time limit.
        const isAudible = this.#takeover?.by === member && this.#deps.turn().kind === 'muted';
        if (isAudible) this.#takeover?.voice.push(samples);
      },
      leave: () => this.#remove(member),
    };
  }

  get isTakenOver(): boolean {
    return this.#takeover !== null;
  }

  /** Sends supervisors the transcript and state changes. */
  send(message: ServerMessage): void {
    if (this.#members.size === 0) return;
    if (message.type === 'transcript' || message.type === 'state') this.#sendToAll(message);
  }

  /** The call has ended. Resolves when everything said is in the history. */
  async finish(): Promise<void> {
    const voice = this.#takeover?.voice;
    this.#dismissAll('call_ended');
    await voice?.finish(true);
  }

  /** The call continues in another session, without supervisors. */
  interrupt(): void {
    const voice = this.#takeover?.voice;
    this.#dismissAll('interrupted');
    voice?.close();
  }

  #dismissAll(reason: SupervisionEnd): void {
    this.#takeover = null;
    for (const member of this.#members) {
      this.#remove(member);
      member.supervisor.end(reason);
    }
  }

  #receive(member: Member, message: SupervisorMessage): void {
    const { supervisor, commands } = member;
    if (message.type === 'ping') {
      supervisor.send({ type: 'pong', timestamp: message.timestamp });
      return;
    }
    if (!this.#members.has(member)) return;
    const refusal = commands.take(this.#deps.context.services.clock.nowMs())
      ? this.#executeCommand(member, message)
      : 'too_many';
    if (refusal === null) return;
    const detail = REFUSALS[refusal];
    supervisor.send({ type: 'refused', message: message.type, reason: refusal, detail });
  }

  /** Returns why the message has no effect, or null. */
  #executeCommand(
    member: Member,
    message: Exclude<SupervisorMessage, { type: 'ping' }>,
  ): Exclude<RefusalReason, 'malformed'> | null {
    const { mode } = member.supervisor;
    switch (message.type) {
      case 'whisper':
        if (!allows(mode, 'whisper')) return 'not_allowed';
        this.#instruct(message.text, message.respond ?? true);
        this.#record(member, 'supervisor_whispered', 'A supervisor sent the agent an instruction.', {});
        member.supervisor.send({ type: 'whisper_accepted' });
        return null;
      case 'take_over':
        return allows(mode, 'barge') ? this.#takeOver(member) : 'not_allowed';
      case 'hand_back':
        if (this.#takeover?.by !== member) return 'not_taken_over';
        this.#handBack(this.#takeover, message.instruction ?? null);
        return null;
    }
  }

  #instruct(text: string, respond: boolean): void {
    const { agent, context } = this.#deps;
    agent.conversation.addInstruction(text);
    if (respond) context.dispatch({ type: 'reply_wanted' });
  }

  #takeOver(member: Member): 'already_taken_over' | 'ending' | 'transferring' | null {
    const { context, agent, sound, turn, onAudio, onTakeover } = this.#deps;
    if (this.#takeover) return 'already_taken_over';
    if (this.#deps.isTransferring()) return 'transferring';
    onTakeover();
    context.dispatch({ type: 'agent_muted', reason: 'supervisor' });
    if (turn().kind !== 'muted') return 'ending';
    const voice = new Takeover({
      context,
      agent,
      sampleRateHz: member.supervisor.sampleRateHz,
      onFrame: (samples, startMs) => {
        onAudio(samples, startMs);
        sound.writeOtherAudio(samples, startMs, member.audio);
      },
      onSpeechError: (error) =>
        context.callEvents.record('warning', 'supervisor_speech_error', 'A supervisor was not transcribed.', {
          code: codeOf(error),
        }),
    });
    this.#takeover = { by: member, voice };
    this.#announce(member, 'call_taken_over', 'A supervisor took the call over from the agent.');
    return null;
  }

  /** The agent continues once the last words of the supervisor are in the history. */
  #handBack({ by, voice }: { by: Member; voice: Takeover }, instruction: string | null): void {
    void voice.finish(false).then(() => {
      if (this.#takeover?.voice !== voice) return;
      this.#takeover = null;
      const text = instruction === null ? HANDED_BACK : `${HANDED_BACK} ${instruction}`;
      this.#deps.agent.conversation.addInstruction(text);
      this.#announce(by, 'call_handed_back', 'A supervisor handed the call back to the agent.');
      this.#deps.context.dispatch({ type: 'agent_unmuted', reason: 'supervisor' });
    });
  }

  #announce(member: Member, type: 'call_taken_over' | 'call_handed_back', text: string): void {
    this.#record(member, type, text, {});
    this.#sendToAll({ type, supervisorId: member.supervisor.supervisorId });
  }

  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    member.audio.close();
    const durationMs = Math.round(this.#deps.context.services.clock.nowMs() - member.joinedMs);
    this.#record(member, 'supervisor_left', 'A supervisor no longer listens to the call.', { durationMs });
    if (this.#takeover?.by === member) this.#handBack(this.#takeover, null);
  }

  #record(
    { supervisor }: Member,
    type: SupervisionEvent,
    text: string,
    details: Record<string, unknown>,
  ): void {
    const { supervisorId, name } = supervisor;
    const who = name === null ? { supervisorId } : { supervisorId, name };
    this.#deps.context.callEvents.record('info', type, text, { ...who, ...details });
  }

  #sendToAll(message: SupervisionMessage): void {
    for (const { supervisor } of this.#members) supervisor.send(message);
  }
}

function allows(mode: SupervisionMode, wanted: SupervisionMode): boolean {
  return SUPERVISION_MODES.indexOf(mode) >= SUPERVISION_MODES.indexOf(wanted);
}

const REFUSALS: Readonly<Record<Exclude<RefusalReason, 'malformed'>, string>> = {
  not_allowed: 'The mode of this supervisor does not allow it.',
  already_taken_over: 'A supervisor already has the call.',
  not_taken_over: 'This supervisor does not have the call.',
  ending: 'The call is ending.',
  transferring: 'The user is on hold for a warm transfer, or talks with its target.',
  too_many: 'Too many messages; wait a second.',
};
