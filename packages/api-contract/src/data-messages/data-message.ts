import { Type, type TProperties } from 'typebox';

/** The schema of one type of data message. Its name in the OpenAPI document: `call_started` → `CallStartedMessage`. */
export function DataMessage<T extends string, P extends TProperties>(
  type: T,
  properties: P,
  description: string,
) {
  const name = type.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  return Type.Object(
    { type: Type.Literal(type, { description: 'Type of the message.' }), ...properties },
    { title: name.endsWith('Message') ? name : `${name}Message`, description },
  );
}
