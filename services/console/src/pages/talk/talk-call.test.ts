import { describe, expect, it } from '@jest/globals';
import { CallSession } from '@calls/client';
import { TalkCall, type TalkCallDeps } from './talk-call.ts';

const PARTNER = { kind: 'prompt', systemPrompt: 'Be kind.', voice: null, isRecorded: true } as const;

/** Counts join requests instead of joining calls. */
class CountedSession extends CallSession {
  joins = 0;

  override joinCall(): Promise<void> {
    this.joins += 1;
    return Promise.resolve();
  }
}

/** A call with dependencies that resolve when the test lets them. */
function talk() {
  const session = new CountedSession();
  const microphone = Promise.withResolvers<MediaStreamTrack>();
  const created = Promise.withResolvers<Awaited<ReturnType<TalkCallDeps['create']>>>();
  const tools = Promise.withResolvers<Awaited<ReturnType<TalkCallDeps['toolsOf']>>>();
  const asked: string[] = [];
  const call = new TalkCall({
    session,
    checkBrowser: () => undefined,
    openMicrophone: () => (asked.push('microphone'), microphone.promise),
    create: () => (asked.push('call'), created.promise),
    toolsOf: () => (asked.push('tools'), tools.promise),
  });
  let stopped = 0;
  return {
    call,
    session,
    asked,
    stopped: () => stopped,
    giveMicrophone: () =>
      microphone.resolve({ stop: () => (stopped += 1) } as Partial<MediaStreamTrack> as MediaStreamTrack),
    giveCall: () => created.resolve({ callId: 'a', joinUrl: 'wss://calls.test/join/a' }),
    giveTools: () => tools.resolve([]),
  };
}

describe('TalkCall', () => {
  it('creates no call in a browser without WebRTC', async () => {
    const asked: string[] = [];
    const call = new TalkCall({
      create: () => (asked.push('call'), Promise.reject(new Error('not expected'))),
    });
    await call.start({ partner: PARTNER, microphoneId: null });
    expect([asked, call.state.problem?.title]).toEqual([[], 'This browser can’t make calls']);
  });

  it('requests the microphone, the call and its tools, and joins the call', async () => {
    const { call, session, asked, stopped, giveMicrophone, giveCall, giveTools } = talk();
    const started = call.start({ partner: PARTNER, microphoneId: '' });
    giveMicrophone();
    giveCall();
    giveTools();
    await started;
    expect([asked, session.joins, stopped()]).toEqual([['microphone', 'call', 'tools'], 1, 1]);
    expect(call.state.phase).toBe('inCall');
    await call.leave();
    session.dispatchEvent(new CustomEvent('ended', { detail: { reason: 'hangup', error: null } }));
    expect(call.state.phase).toBe('ended');
  });

  it('shows the turn latency that the server reports, and counts no turn when the user continues to speak', async () => {
    const { call, session, giveMicrophone, giveCall, giveTools } = talk();
    const started = call.start({ partner: PARTNER, microphoneId: '' });
    giveMicrophone();
    giveCall();
    giveTools();
    await started;
    const receive = (message: object): boolean =>
      session.dispatchEvent(new CustomEvent('data_message', { detail: message }));
    // The user pauses and continues; the agent speaks in between.
    for (const type of ['user_started_speaking', 'user_stopped_speaking', 'user_started_speaking']) {
      receive({ type });
      session.dispatchEvent(new CustomEvent('status', { detail: 'speaking' }));
    }
    expect(call.state.turns).toEqual([]);
    expect(call.state.isUserSpeaking).toBe(true);
    receive({ type: 'interim_transcript', text: 'when is' });
    expect(call.state.interim).toBe('when is');
    receive({
      type: 'call_event',
      eventType: 'turn_latency',
      extras: { firstAudioSentMs: 600, firstSoundMs: 640 },
    });
    receive({ type: 'call_event', eventType: 'turn_latency', extras: null });
    receive({ type: 'call_event', eventType: 'interrupted', extras: { pausedMs: 90 } });
    expect(call.state.turns).toEqual([{ afterOrdinal: -1, tookMs: 640 }]);
    expect(call.state.notes).toEqual([]);
    const text = 'Speech was dismissed: it was a backchannel.';
    const dismissed = { severity: 'warning', eventType: 'speech_dismissed', text, extras: { text: 'okay' } };
    receive({ type: 'call_event', ...dismissed });
    expect(call.state.notes).toEqual([
      { id: 0, severity: 'warning', text: `${text} “okay”`, afterOrdinal: -1 },
    ]);
    await call.leave();
    session.dispatchEvent(new CustomEvent('ended', { detail: { reason: 'hangup', error: null } }));
  });

  it('does not create the call when it is left before the microphone is ready', async () => {
    const { call, session, asked, stopped, giveMicrophone } = talk();
    const started = call.start({ partner: PARTNER, microphoneId: '' });
    await call.leave();
    giveMicrophone();
    await started;
    expect([asked, session.joins, stopped(), call.state.phase]).toEqual([['microphone'], 0, 1, 'setup']);
  });

  it('does not join the call when it is left while its tools are requested', async () => {
    const { call, session, asked, giveCall, giveTools } = talk();
    const started = call.start({ partner: PARTNER, microphoneId: null });
    giveCall();
    while (!asked.includes('tools')) await Promise.resolve();
    await call.leave();
    giveTools();
    await started;
    expect([session.joins, call.state.phase, call.state.callId]).toEqual([0, 'setup', null]);
  });
});
