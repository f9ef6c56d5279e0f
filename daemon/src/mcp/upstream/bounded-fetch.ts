/** Bytes of one answer of another server. */
const ANSWER_BYTES = 16 * 1024 ** 2;

/** `fetch` that fails if an answer has more bytes than the bound, or redirects. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'error' });
  if (answer.body === null) return answer;
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes <= ANSWER_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`the answer has more than ${ANSWER_BYTES} bytes`));
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(bound), { status, statusText, headers });
}
