import type { MessageImage } from '../message.ts';

/** An image as a data URL. */
export const dataUrl = ({ mediaType, data }: MessageImage): string => `data:${mediaType};base64,${data}`;
