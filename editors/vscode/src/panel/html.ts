// The panel's page: nothing but its own script and style may load, and nothing from anywhere else.

export interface PageParts {
  readonly cspSource: string;
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
}

/** Returns the page. */
export function page({ cspSource, nonce, script, style }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
    `font-src ${cspSource}`,
    "img-src 'none'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Steersman</title>
</head>
<body>
<main id="conversation" aria-label="Conversation"></main>
<div id="status" role="status" aria-live="polite"></div>
<footer id="composer"></footer>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
