import type {
  RtpCapabilities as WireCapabilities,
  RtpParameters as WireParameters,
} from '@calls/api-contract/signalling/media-parameters';
import type { SignalReady, TransportParameters } from '@calls/api-contract/signalling/signal-messages';
import type { RtpCapabilities, RtpParameters, TransportOptions } from 'mediasoup-client/types';

/*
 * The contract and mediasoup-client have different types for the same ORTC objects, with different optional fields and
 * enumerations. The library validates received objects, the service sent ones.
 */

export function transportOptions(
  { sctpParameters, ...parameters }: TransportParameters,
  {
    ready: { iceServers },
    iceTransportPolicy,
  }: { ready: SignalReady; iceTransportPolicy: RTCIceTransportPolicy | undefined },
): TransportOptions {
  const { maxMessageSize } = sctpParameters;
  return {
    ...parameters,
    iceServers,
    ...(iceTransportPolicy && { iceTransportPolicy }),
    sctpParameters: {
      ...sctpParameters,
      maxSendMessageSize: maxMessageSize,
      maxReceiveMessageSize: maxMessageSize,
    },
  };
}

export function capabilitiesFromWire(capabilities: WireCapabilities): RtpCapabilities {
  return capabilities as RtpCapabilities;
}

export function capabilitiesToWire(capabilities: RtpCapabilities): WireCapabilities {
  return capabilities as WireCapabilities;
}

export function parametersFromWire(parameters: WireParameters): RtpParameters {
  return parameters as RtpParameters;
}

export function parametersToWire(parameters: RtpParameters): WireParameters {
  return parameters as WireParameters;
}
