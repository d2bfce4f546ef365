import { describe, expect, it } from '@jest/globals';
import { TurnClock } from './turn-clock.ts';

const QUIET = { microphone: 0.05, agent: 0 };
const USER = { microphone: 0.6, agent: 0 };
const AGENT = { microphone: 0.05, agent: 0.7 };

describe('a turn’s latency', () => {
  it('is from the last loud moment of the microphone until the agent is heard', () => {
    const clock = new TurnClock();
    clock.startedSpeaking();
    expect(clock.heard(USER, false, 1000)).toBeNull();
    expect(clock.heard(USER, false, 2000)).toBeNull();
    expect(clock.heard(QUIET, false, 2040)).toBeNull();
    clock.stoppedSpeaking(2300);
    expect(clock.heard(QUIET, true, 2600)).toBeNull();
    expect(clock.heard(AGENT, true, 2850)).toBe(850);
  });

  it('is told once, however the agent pauses', () => {
    const clock = new TurnClock();
    clock.stoppedSpeaking(1000);
    expect(clock.heard(AGENT, true, 1500)).toBe(500);
    expect(clock.heard(QUIET, true, 2000)).toBeNull();
    expect(clock.heard(AGENT, true, 2100)).toBeNull();
  });

  it('is from when the service heard the end where the microphone was never loud', () => {
    const clock = new TurnClock();
    clock.heard(USER, false, 0);
    clock.stoppedSpeaking(5000);
    expect(clock.heard(AGENT, true, 5700)).toBe(700);
  });

  it('begins anew when the user goes on', () => {
    const clock = new TurnClock();
    clock.stoppedSpeaking(1000);
    clock.startedSpeaking();
    expect(clock.heard(AGENT, true, 1200)).toBeNull();
    clock.heard(QUIET, false, 1300);
    clock.stoppedSpeaking(3000);
    expect(clock.heard(AGENT, true, 3400)).toBe(400);
  });

  it('isn’t that of an agent who was still speaking when the user ended', () => {
    const clock = new TurnClock();
    clock.heard(AGENT, true, 900);
    clock.stoppedSpeaking(1000);
    expect(clock.heard(AGENT, true, 1040)).toBeNull();
    clock.heard(QUIET, true, 1100);
    expect(clock.heard(AGENT, true, 1900)).toBe(900);
  });

  it('of a text is from when it was sent', () => {
    const clock = new TurnClock();
    clock.wrote(100);
    expect(clock.heard(AGENT, false, 200)).toBeNull();
    clock.heard(QUIET, true, 300);
    expect(clock.heard(AGENT, true, 400)).toBe(300);
  });

  it('of an answer by text is until it begins', () => {
    const clock = new TurnClock();
    expect(clock.answered(50)).toBeNull();
    clock.wrote(100);
    expect(clock.answered(250)).toBe(150);
    expect(clock.answered(300)).toBeNull();
  });
});
