import { describeMediaTransport } from '../conformance/media-transport.ts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { LoopbackTransport } from './loopback-transport.ts';

const FRAME_MS = 20;

describeMediaTransport('LoopbackTransport', {
  connect: () => {
    const clock = new VirtualClock();
    const transport = new LoopbackTransport(clock);
    return Promise.resolve({
      transport,
      client: {
        speak: (samples) => transport.hear(samples),
        say: (message) => transport.say(message),
        hangUp: () => transport.hangUp(),
        settled: () => clock.advance(FRAME_MS),
        playedSamples: () => [...transport.playedAudio(clock.nowMs())].filter((sample) => sample !== 0),
        messages: () => transport.messages.map(({ what }) => what),
        clears: () => transport.clears.length,
      },
    });
  },
});
