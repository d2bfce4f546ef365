import type { CallEnd } from '../turn/turn-types.ts';
import { callEnd } from '../turn/transitions.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallContext } from './call-context.ts';
import type { ExternalEffect } from './turn-loop.ts';
import type { UserSide } from './user-side.ts';

export interface EffectDeps {
  context: CallContext;
  user: UserSide;
  agent: AgentSide;
  finish: (end: CallEnd) => void;
}

/** Applies an effect of the turn reducer. */
export function applyEffect(effect: ExternalEffect, deps: EffectDeps): void {
  const { context, user, agent, finish } = deps;
  const { callEvents, callTimeMs, send } = context;
  const { responder, conversation } = agent;
  switch (effect.type) {
    case 'open_utterance':
    case 'transcribe':
    case 'close_utterance':
    case 'end_utterance':
    case 'assess_end':
      return user.apply(effect);
    case 'add_user_message': {
      const startedMs = effect.medium === 'voice' ? user.utteranceStartedMs : callTimeMs();
      conversation.addUserMessage(effect.text, effect.medium, startedMs, effect.continues);
      if (effect.medium === 'voice') context.navigation.promptEnded(effect.text);
      return;
    }
    case 'start_generation':
      return responder.start(effect.generation, effect.cue, user.contentOf(effect.assuming));
    case 'commit_generation':
      return responder.commit(effect.generation);
    case 'discard_generation':
      return responder.discard(effect.generation);
    case 'duck_playout':
      return responder.duck(effect.generation);
    case 'pause_playout':
      return responder.pause(effect.generation);
    case 'resume_playout':
      return responder.resume(effect.generation);
    case 'hold_tools':
      return responder.holdTools(effect.generation);
    case 'release_tools':
      return responder.releaseTools(effect.generation);
    case 'interrupt_generation':
      return responder.interrupt(effect.generation, effect.interruptedCalls);
    case 'fill_silence':
      if (!responder.fillSilence(effect.generation)) return;
      return callEvents.add('info', 'reply_slow', 'The response was slow; a filler phrase was played.', null);
    case 'dismiss_speech':
    case 'report_missing_response':
      return;
    case 'report_menu_silence':
      return context.navigation.silent(effect.silenceMs);
    case 'announce':
      return send({ type: 'state', state: effect.state });
    case 'end_call':
      return finish(callEnd(effect.reason, effect));
  }
}
