import { Type } from 'typebox';

/** Maximum size of a data message as JSON; a larger one is dropped with a warning. The browser SDK has copies of both limits. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Maximum length of the text of a data message, in UTF-16 code units. */
export const MAX_MESSAGE_TEXT_LENGTH = 65_536;

export const MessageText = Type.String({ maxLength: MAX_MESSAGE_TEXT_LENGTH });
