import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { instancesOf, ONE_OF_EACH, readRtcPorts, readSipPorts, readStackSize } from './stack-size.ts';

describe('the local stack', () => {
  it('has one process of each service unless the environment sets more', () => {
    expect(readStackSize(new EnvReader({}))).toEqual(ONE_OF_EACH);
    const env = new EnvReader({ MEDIA_WORKERS: '3', CONTROL_PLANES: '2' });
    expect(readStackSize(env)).toEqual({ 'control-plane': 2, 'media-worker': 3, dispatcher: 1 });
  });

  it('rejects numbers of processes out of range, with their variables', () => {
    const env = new EnvReader({ MEDIA_WORKERS: '0', DISPATCHERS: '7' });
    readStackSize(env);
    expect(() => env.finish()).toThrow(/MEDIA_WORKERS[^]*DISPATCHERS/u);
  });

  it('has WebRTC ports only when mediasoup is available', () => {
    const ports = { RTC_PORT: '50000', RTC_WORKERS: '3' };
    const withIt = new EnvReader({ ...ports, MEDIASOUP_WORKER_BIN: '/bin/mediasoup-worker' });
    expect(readRtcPorts(withIt, 1)).toEqual({ rtc: 50_000, rtcEach: 3 });
    const without = new EnvReader({ ...ports, WEBRTC_UNAVAILABLE: 'it could not be built' });
    expect(readRtcPorts(without, 1)).toEqual({ rtc: 0, rtcEach: 3 });
  });

  it('has default ports below the kernel’s ephemeral ports, even with the maximum number of processes', () => {
    const env = new EnvReader({ MEDIASOUP_WORKER_BIN: '/bin/mediasoup-worker' });
    const { rtc, rtcEach } = readRtcPorts(env, 1);
    const { sip, sipRtp } = readSipPorts(env);
    expect(rtc).toBe(10_000);
    expect(Math.max(rtc + 32 * rtcEach, sip + 32, sipRtp.last)).toBeLessThan(32_768);
  });

  it('gives every process a name and a metrics port, both stable for the first process of each service', () => {
    const size = { 'control-plane': 2, 'media-worker': 3, dispatcher: 1 };
    expect(instancesOf(size, 9464).map(({ name, metricsPort }) => [name, metricsPort])).toEqual([
      ['control-plane', 9464],
      ['media-worker', 9465],
      ['dispatcher', 9466],
      ['control-plane-2', 9467],
      ['media-worker-2', 9468],
      ['media-worker-3', 9471],
    ]);
  });
});
