import type { BenchOptions } from '../bench-options.ts';
import type { CallerMedium } from './caller-medium.ts';
import { webrtcMedium } from './webrtc-medium.ts';
import { websocketMedium } from './websocket-medium.ts';

export function mediumOf({ medium, sampleRateHz }: BenchOptions): CallerMedium {
  return medium === 'webrtc' ? webrtcMedium : websocketMedium(sampleRateHz);
}
