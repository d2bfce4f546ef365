import { Type } from 'typebox';

/** Maximum length of the text of a data message, in UTF-16 code units. */
const MAX_MESSAGE_TEXT_LENGTH = 65_536;

export const MessageText = Type.String({ maxLength: MAX_MESSAGE_TEXT_LENGTH });
