import { documents } from "@/lib/documents";

export { documents as GET, documents as OPTIONS, documents as POST };
