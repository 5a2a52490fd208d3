/** Sends an e-mail with a document, with the HTTP API of a mail service. */
export async function sendMail(to: string, subject: string, attachment: Blob): Promise<void> {
  const body = new FormData();
  body.set("to", to);
  body.set("subject", subject);
  body.set("attachment", attachment, `${subject}.pdf`);
  const response = await fetch("https://mail.example.com/messages", { method: "POST", body });
  if (!response.ok) throw new Error(`The mail service responded with ${response.status}.`);
}
