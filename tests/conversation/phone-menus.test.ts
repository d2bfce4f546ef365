import { describe, expect, it } from '@jest/globals';
import type { AnsweringMachineSpec, CallSpec, IvrNavigationSpec } from '@calls/api-contract/call-spec';
import {
  expectNothingLeft,
  resumeCall,
  startCall,
  type ScriptedCall,
  type Scripts,
} from '../support/scripted-call.ts';
import { builtInTool } from '../support/scripted-tools.ts';

const DETECTION: AnsweringMachineSpec = {
  onMachine: 'continue',
  message: '',
  onIvr: 'continue',
  onScreening: 'continue',
};
const ON: IvrNavigationSpec = { mode: 'on', promptPauseMs: 2000, options: [], silenceLimitMs: 15_000 };
const MENU = 'for sales press one for service press two';
const press = (digits: string, more: object = {}) => ({
  call: [{ name: 'playDtmfSounds', arguments: { digits, ...more } }],
});
const TOOLS = [
  builtInTool('playDtmfSounds', {
    dynamicParameters: [
      { location: 'PARAMETER_LOCATION_BODY', name: 'digits', required: true },
      { location: 'PARAMETER_LOCATION_BODY', name: 'silence_ms' },
    ],
  }),
  builtInTool('waitForPrompt', {
    dynamicParameters: [{ location: 'PARAMETER_LOCATION_BODY', name: 'options' }],
  }),
];

interface MenuCall {
  call: ScriptedCall;
  /** Keys sent, with the time since the start of the call. */
  keys: { digits: string; atMs: number }[];
}

function menuCall(scripts: Scripts, spec: Partial<CallSpec> = { ivrNavigation: ON }): MenuCall {
  const keys: MenuCall['keys'] = [];
  const call: ScriptedCall = startCall({
    ...scripts,
    spec,
    stage: { tools: TOOLS, ...scripts.stage },
    sendDigits: (digits) => {
      keys.push({ digits, atMs: call.clock.nowMs() });
      return true;
    },
  });
  return { call, keys };
}

/** Plays a prompt of these parts, with a pause after each. */
async function prompt({ call }: MenuCall, pauseMs: number, ...partsMs: number[]): Promise<void> {
  for (const partMs of partsMs) {
    await call.transport.speak(call.clock, partMs);
    await call.transport.silence(call.clock, pauseMs);
  }
}

/** Why navigation began (+) and ended (-). */
function changesOf(call: ScriptedCall): string[] {
  return call.events.flatMap((event) => {
    if (event.type !== 'noted' || !event.eventType.startsWith('menu_')) return [];
    const sign = { menu_began: '+', menu_ended: '-' }[event.eventType] ?? '';
    const cause = event.extras?.['cause'];
    return [`${sign}${typeof cause === 'string' ? cause : event.eventType}`];
  });
}

describe('an agent in a phone menu', () => {
  it('presses a key once the whole prompt is over, in two menu levels', async () => {
    const menu = menuCall({ stt: [MENU, 'for orders press three'], llm: [press('1'), press('3')] });
    const { call, keys } = menu;
    await prompt(menu, 1500, 1500, 1500);
    expect(call.llm.requests).toEqual([]);
    await call.transport.silence(call.clock, 1500);
    expect(keys.map(({ digits }) => digits)).toEqual(['1']);
    await prompt(menu, 1000, 2000, 800);
    expect(keys).toHaveLength(1);
    await call.transport.silence(call.clock, 2500);
    expect(keys.map(({ digits }) => digits)).toEqual(['1', '3']);
    expect(call.messages.filter((text) => text.startsWith('USER'))).toEqual([
      `USER: ${MENU}`,
      'USER: for orders press three',
    ]);
    expect(call.transport.playedMs()).toBe(0);
    expect(changesOf(call)).toEqual(['+setting']);
    await call.hangUp();
  });

  it('stops its greeting when detection reports a menu, and waits for the end of the prompt', async () => {
    const firstSpeaker = {
      who: 'agent',
      text: 'Good morning, this is Ada of the little hotel, I am calling about your booking for next week.',
      prompt: null,
      delayMs: 0,
      uninterruptible: true,
    } as const;
    const menu = menuCall({ stt: [MENU], llm: [press('2')] }, { firstSpeaker, answeringMachine: DETECTION });
    const { call, keys } = menu;
    await prompt(menu, 1200, 1200);
    expect(changesOf(call)).toEqual(['+detected']);
    const stoppedMs = call.clock.nowMs();
    await prompt(menu, 1200, 1200, 1200);
    expect(keys).toEqual([]);
    await call.transport.silence(call.clock, 1600);
    expect(keys.map(({ digits }) => digits)).toEqual(['2']);
    expect(call.transport.playedMs(stoppedMs)).toBe(0);
    await call.hangUp();
  });

  it('presses the key of an expected option before the prompt is over', async () => {
    const menu = menuCall(
      {
        stt: ['welcome', MENU],
        llm: [{ call: [{ name: 'waitForPrompt', arguments: { options: ['service'] } }] }, press('2')],
      },
      {},
    );
    const { call, keys } = menu;
    await prompt(menu, 1200, 1000);
    expect(changesOf(call)).toEqual(['+tool']);
    await prompt(menu, 800, 1000);
    const pausedMs = call.clock.nowMs();
    // The menu continues while the model generates.
    await prompt(menu, 300, 1500);
    expect(keys.map(({ digits }) => digits)).toEqual(['2']);
    expect(keys[0]?.atMs).toBeLessThan(pausedMs + 1000);
    await call.hangUp();
  });

  it('presses the key after the prompt when the menu repeats it during the generation', async () => {
    const menu = menuCall({ stt: [MENU, MENU], llm: [press('1')], llmDelayMs: 1500 });
    const { call, keys } = menu;
    await prompt(menu, 2200, 2000);
    await prompt(menu, 500, 3000);
    expect(keys).toEqual([]);
    await call.transport.silence(call.clock, 2000);
    expect(keys.map(({ digits }) => digits)).toEqual(['1']);
    // Words over the response are context and do not require another response.
    await call.transport.silence(call.clock, 5000);
    expect(call.llm.requests).toHaveLength(1);
    expect(call.messages.filter((text) => text === `USER: ${MENU}`)).toHaveLength(2);
    await call.hangUp();
  });

  it('does not speak over a prompt', async () => {
    const menu = menuCall({ stt: [MENU, MENU], llm: ['Sales, please.', 'Sales.'], llmDelayMs: 1200 });
    const { call } = menu;
    await prompt(menu, 2800, 1000);
    const startMs = call.clock.nowMs();
    await call.transport.speak(call.clock, 3000);
    expect(call.transport.playedMs(startMs, call.clock.nowMs())).toBeLessThanOrEqual(200);
    await call.hangUp();
  });

  it('takes a turn, three times at most, when the menu is silent', async () => {
    const inactivityMessages = [{ delayMs: 4000, text: 'Are you still there?', hangUp: 'always' as const }];
    const menu = menuCall({
      stt: [MENU],
      llm: [press('1'), press('2'), '', ''],
      stage: { inactivityMessages },
    });
    const { call, keys } = menu;
    await prompt(menu, 14_000, 1000);
    expect(keys.map(({ digits }) => digits)).toEqual(['1']);
    await call.transport.silence(call.clock, 60_000);
    expect(keys.map(({ digits }) => digits)).toEqual(['1', '2']);
    expect(changesOf(call)).toEqual(['+setting', 'menu_silent', 'menu_silent', 'menu_silent']);
    expect(call.llm.requests).toHaveLength(4);
    expect(call.transport.playedMs()).toBe(0);
    expect(call.outcome).toBeNull();
    await call.hangUp();
  });

  it('plays no stock phrase when a prompt is not transcribed or a response is slow', async () => {
    const menu = menuCall({ stt: ['fail', MENU], llm: [press('1')], llmDelayMs: 4000 });
    const { call, keys } = menu;
    await prompt(menu, 3000, 1000);
    await prompt(menu, 9000, 1000);
    expect(keys.map(({ digits }) => digits)).toEqual(['1']);
    expect(call.transport.playedMs()).toBe(0);
    await call.hangUp();
  });

  it('speaks normally once a person answers', async () => {
    const menu = menuCall({
      stt: [MENU, 'hello this is bob how can i help you'],
      llm: [press('1'), 'Hi Bob.'],
    });
    const { call } = menu;
    await prompt(menu, 3000, 1000);
    await prompt(menu, 1000, 1500);
    expect(changesOf(call)).toEqual(['+setting', '-words']);
    expect(call.transport.playedMs()).toBeGreaterThan(0);
    await call.hangUp();
  });

  it('pauses between keys', async () => {
    const menu = menuCall({ stt: [MENU], llm: [press('1w23,4', { silence_ms: 0 })] });
    const { call, keys } = menu;
    await prompt(menu, 8000, 1000);
    expect(keys.map(({ digits }) => digits)).toEqual(['1', '23', '4']);
    const [first, second, third] = keys.map(({ atMs }) => atMs);
    expect(second! - first!).toBe(300 + 500);
    expect(third! - second!).toBe(600 + 2000);
    expect(call.messages.at(-1)).toBe('TOOL_RESULT: The digits 1w23,4 were sent.');
    await call.hangUp();
  });

  it('waits for silence before a key, up to a limit', async () => {
    const stt = Array.from({ length: 40 }, () => 'music');
    const menu = menuCall({ stt, llm: [press('5')], llmDelayMs: 100 });
    const { call, keys } = menu;
    await prompt(menu, 2500, 1000);
    const [endMs] = [call.clock.nowMs()];
    expect(keys).toHaveLength(1);
    const other = menuCall({ stt, llm: [press('5', { silence_ms: 5000 })], llmDelayMs: 100 });
    await prompt(other, 2500, 1000);
    await other.call.transport.speak(other.call.clock, 21_000);
    expect(other.keys.map(({ digits }) => digits)).toEqual(['5']);
    expect(other.keys[0]!.atMs - endMs).toBeGreaterThan(15_000);
    await call.hangUp();
    await other.call.hangUp();
    expectNothingLeft(call);
    expectNothingLeft(other.call);
  });

  it('remains in the menu after a reconnect', async () => {
    const menu = menuCall({ stt: [MENU, MENU], llm: [press('1'), press('2')] });
    await prompt(menu, 4000, 1000);
    await menu.call.loseConnection();
    expect(menu.call.suspended?.snapshot.inMenu).toBe(true);
    const again = { call: resumeCall(menu.call), keys: menu.keys };
    await prompt(again, 1500, 1000, 1000);
    expect(again.keys).toHaveLength(1);
    await again.call.transport.silence(again.call.clock, 1500);
    expect(again.keys.map(({ digits }) => digits)).toEqual(['1', '2']);
    expect(changesOf(again.call)).toEqual(['+setting']);
    await again.call.hangUp();
  });
});
