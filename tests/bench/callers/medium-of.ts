import type { BenchOptions } from '../bench-options.ts';
import type { CallerMedium } from './caller-medium.ts';
import { phoneMedium } from './phone-medium.ts';
import { sipMedium } from './sip-medium.ts';
import { webrtcMedium } from './webrtc-medium.ts';
import { websocketMedium } from './websocket-medium.ts';

export async function openMedium({ medium, sampleRateHz }: BenchOptions): Promise<CallerMedium> {
  switch (medium) {
    case 'websocket':
      return websocketMedium(sampleRateHz);
    case 'webrtc':
      return webrtcMedium;
    case 'phone':
      return phoneMedium();
    case 'sip':
      return sipMedium();
  }
}
