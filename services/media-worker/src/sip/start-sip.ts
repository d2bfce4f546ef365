import { toError } from '@calls/foundation/errors';
import { SipService, type SipServiceOptions } from './sip-service.ts';

/** The SIP of this worker; null where it can't have any: its calls are then others'. */
export async function startSip(options: SipServiceOptions): Promise<SipService | null> {
  try {
    return await SipService.start(options);
  } catch (thrown) {
    const { port } = options.config;
    options.log.error(
      { port, err: toError(thrown) },
      'this worker takes no SIP calls: see SIP_PORT and SIP_ADDRESS',
    );
    return null;
  }
}
