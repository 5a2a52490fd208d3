/** Sends a mail with a document, by the HTTP interface of a mail service. */
export async function sendMail(to: string, subject: string, attachment: Blob): Promise<void> {
  const body = new FormData();
  body.set("to", to);
  body.set("subject", subject);
  body.set("attachment", attachment, `${subject}.pdf`);
  const response = await fetch("https://mail.example.com/messages", { method: "POST", body });
  if (!response.ok) throw new Error(`The mail was refused with ${response.status}.`);
}
