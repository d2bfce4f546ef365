import type { CallCommand, CallCommandReply } from '@calls/api-contract/bus/call-commands';
import type { HostedCall } from './hosted-call.ts';

const ACCEPTED: CallCommandReply = { outcome: 'accepted' };
const NOT_JOINED: CallCommandReply = { outcome: 'not_joined' };

/** Executes a command of the API on a call. */
export function executeCommand(
  command: CallCommand,
  call: Pick<HostedCall, 'end' | 'isLive' | 'isOver' | 'isSuspended' | 'notReached' | 'receive'>,
): CallCommandReply {
  switch (command.kind) {
    case 'status':
      return call.isSuspended ? NOT_JOINED : ACCEPTED;
    case 'end':
      call.end('agent_hangup');
      return ACCEPTED;
    case 'not_reached':
      // The media stream may be disconnected, or close later.
      if (call.isLive) call.end('hangup');
      else call.notReached(command.detail);
      return ACCEPTED;
    case 'send_message':
      if (call.receive(command.message)) return ACCEPTED;
      if (call.isOver || command.message.type !== 'hang_up') return NOT_JOINED;
      // The phone still rings, or no client is connected that could play a final message.
      call.end('agent_hangup');
      return ACCEPTED;
  }
}
