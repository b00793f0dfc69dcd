import type { MessageImage } from '../message.ts';

/** A picture within an address, as OpenAI and compatible servers take it. */
export const dataUrl = ({ mediaType, data }: MessageImage): string => `data:${mediaType};base64,${data}`;
