import express from 'express';

/** A JSON response as sent by the service. */
export interface WatchedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** Records all JSON responses of every service in this process, until stopped. */
export function watchAnswers() {
  const answers: WatchedAnswer[] = [];
  const { json } = express.response;
  express.response.json = function (body: unknown) {
    answers.push({
      method: this.req.method.toLowerCase(),
      path: new URL(this.req.originalUrl, 'http://x').pathname,
      status: this.statusCode,
      body: JSON.parse(JSON.stringify(body)),
    });
    return json.call(this, body);
  };
  return {
    answers,
    stop() {
      express.response.json = json;
    },
  };
}
