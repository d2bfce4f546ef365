import {
  createCallSeal,
  createEventSeal,
  type CallSeal,
  type EventOfCall,
  type Seal,
} from '@calls/bus/call-seal';
import {
  createCallNotifications,
  type CallNotifications,
} from '@calls/call-lifecycle/notifications/call-notifications';
import { createCallView, type CallView } from '@calls/call-lifecycle/notifications/views';
import { createJoinTokens, type JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createSecretBox, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { ControlPlaneConfig } from '../config.ts';
import { createPhoneUrls, type PhoneUrlsOf } from '../telephony/phone-urls.ts';

/** What encrypts calls and gives access to them, all of it derived from the configured secrets. */
export interface CallAccess {
  secretBox: SecretBox;
  tokens: JoinTokens;
  callSeal: CallSeal;
  eventSeal: Seal<EventOfCall>;
  phoneUrls: PhoneUrlsOf;
  callView: CallView;
  notifications: CallNotifications;
}

export function createCallAccess(
  config: Pick<ControlPlaneConfig, 'encryptionKeys' | 'joinTokenSecrets' | 'publicUrl' | 'mediaPublicUrl'>,
): CallAccess {
  const { publicUrl, mediaPublicUrl, joinTokenSecrets } = config;
  const secretBox = createSecretBox(config.encryptionKeys);
  const tokens = createJoinTokens(joinTokenSecrets);
  const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
  return {
    secretBox,
    tokens,
    callSeal: createCallSeal(joinTokenSecrets),
    eventSeal: createEventSeal(joinTokenSecrets),
    phoneUrls: createPhoneUrls({ publicUrl, mediaPublicUrl, tokens }),
    callView,
    notifications: createCallNotifications({ secretBox, callView }),
  };
}
