import type { Api } from '../../support/api.ts';
import { CallClient } from '@calls/examples/call-client';
import { AgentAudio, type DrillCaller } from './drill-caller.ts';

const RATE_HZ = 16_000;

/** A server WebSocket that sends silence. */
export async function callByWebSocket(api: Api, settings: Record<string, unknown>): Promise<DrillCaller> {
  const call = await api.createCall(settings, RATE_HZ);
  const agent = new AgentAudio();
  const client = await CallClient.connect({
    joinUrl: call.joinUrl ?? '',
    inputSampleRateHz: RATE_HZ,
    outputSampleRateHz: RATE_HZ,
    keepAudio: false,
    onAudio: () => agent.audible(),
    onConnection: (state) => {
      if (state === 'lost') agent.moved(client.state === 'speaking');
    },
  });
  let lost: string | null = null;
  let isHangingUp = false;
  void client.closed.then(({ code, reason }) => {
    if (!isHangingUp) lost = `closed with ${code} ${reason}`;
  });
  return {
    callId: call.callId,
    medium: 'websocket',
    agent,
    get lost() {
      return lost;
    },
    async hangUp() {
      isHangingUp = true;
      await client.hangUp();
    },
  };
}
